import { Alert, Group, Stack, Text } from "@mantine/core";
import { useChange } from "../../../../platform/operations.ts";
import { timeOf, timeWithSecondsOf } from "../../../../platform/times.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../../ui/problem.tsx";
import { type CheckedSender, type EmailSender, recordFinding, type StepState } from "../../rules.ts";
import { words } from "../../words.ts";
import { DomainActions } from "./domain-actions.tsx";
import { RecordCard } from "./record.tsx";
import { SenderStep } from "./sender-step.tsx";
import { SpfForm } from "./spf.tsx";
import { usePrepare } from "./use-prepare.ts";

type Props = { scope: string; sender: EmailSender; state: StepState };
type Domain = NonNullable<EmailSender["domain"]>;

function Standing({ domain: { maySend, seenAt }, isCaught }: { domain: Domain; isCaught: boolean }) {
  if (maySend) return <Text>{seenAt === null ? words.byHand : words.verified(timeOf(seenAt))}</Text>;
  return <Text>{isCaught ? words.domainCaught : words.unverified}</Text>;
}

function Verdict({ checked: { isVerified, checkedAt } }: { checked: CheckedSender }) {
  return (
    <Alert color={isVerified ? "green" : "yellow"} role="status">
      {`${isVerified ? words.checkGood : words.checkBad} ${words.checkedAt(timeWithSecondsOf(checkedAt))}`}
    </Alert>
  );
}

function Records({ scope, sender, domain }: { scope: string; sender: EmailSender; domain: Domain }) {
  const checking = useChange(scope, "checkEmailSender", ["getEmailSender", "getEmailHealth"]);
  const { headers, renew } = useRequestKey();
  const check = (): void =>
    checking.mutate(
      { headers },
      // A further look asks DNS again.
      { onEnd: renew },
    );
  // What was found belongs to the records that were wanted then.
  const checked = checking.data?.domain === domain.name ? checking.data : undefined;
  return (
    <Stack>
      <Standing domain={domain} isCaught={sender.mailServer === "outbox"} />
      <Text size="sm" c="dimmed">
        {words.recordsAbout}
      </Text>
      {domain.records.map((record) => (
        <RecordCard key={record.purpose} record={record} finding={recordFinding(record, checked)} />
      ))}
      {checked !== undefined && <Verdict checked={checked} />}
      {checking.error !== null && <Problem error={checking.error} />}
      <Group>
        <RoleButton scope={scope} needs="owner" loading={checking.isPending} onClick={check}>
          {words.check}
        </RoleButton>
        <DomainActions scope={scope} domain={domain} hasOwnServer={sender.mailServer === "own"} />
      </Group>
      <SpfForm scope={scope} spfInclude={sender.spfInclude} />
    </Stack>
  );
}

/** The key of a sender that was named elsewhere, such as on the command line, is made when a person asks for the records. */
function NoKey({ scope, from }: { scope: string; from: string }) {
  const { prepare, error, isPending } = usePrepare(scope);
  return (
    <Stack align="flex-start">
      <Text c="dimmed">{words.noKey}</Text>
      {error !== null && <Problem error={error} />}
      <RoleButton scope={scope} needs="owner" loading={isPending} onClick={() => prepare({ from })}>
        {words.showRecords}
      </RoleButton>
    </Stack>
  );
}

/** The records that prove to receivers that mail is the sender's own. */
export function DomainStep({ scope, sender, state }: Props) {
  const { domain, from } = sender;
  return (
    <SenderStep number={3} title={domain === null ? words.domain : words.domainOf(domain.name)} state={state}>
      {from === null && <Text c="dimmed">{words.domainFirst}</Text>}
      {from !== null && domain === null && <NoKey scope={scope} from={from} />}
      {domain !== null && <Records scope={scope} sender={sender} domain={domain} />}
    </SenderStep>
  );
}
