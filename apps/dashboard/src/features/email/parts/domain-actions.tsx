import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { RoleButton } from "../../../ui/role-button.tsx";
import type { Sender } from "../rules.ts";
import { words } from "../words.ts";
import { usePrepare } from "./use-prepare.ts";

type Props = { scope: string; domain: NonNullable<Sender["domain"]> };
type Asked = "key" | "verify" | null;

type QuestionProps = {
  about: string;
  yes: string;
  error: unknown;
  isPending: boolean;
  answer: () => void;
  close: () => void;
};

function Question({ about, yes, error, isPending, answer, close }: QuestionProps): ReactNode {
  return (
    <Stack>
      <Text>{about}</Text>
      {error !== null && <Problem error={error} />}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={close}>
          {words.cancel}
        </Button>
        <Button color="red" loading={isPending} onClick={answer}>
          {yes}
        </Button>
      </Group>
    </Stack>
  );
}

/** What an owner does rarely about a domain: make another key, or send from it without asking DNS. */
export function DomainActions({ scope, domain: { maySend, seenAt } }: Props) {
  const [asked, setAsked] = useState<Asked>(null);
  const close = (): void => setAsked(null);
  const [key, setKey] = useState(newRequestKey);
  const renewing = useChange(scope, "renewSenderKey", ["getEmailSender", "listAuditEntries"]);
  const verifying = usePrepare(scope);
  const button = { scope, needs: "owner" as const, variant: "default" };
  const ask = (what: Asked): void => {
    renewing.reset();
    verifying.reset();
    setKey(newRequestKey());
    setAsked(what);
  };
  const renew = (): void => renewing.mutate({ headers: { "Idempotency-Key": key } }, { onSuccess: close });
  return (
    <>
      <RoleButton {...button} onClick={() => ask("key")}>
        {words.newKey}
      </RoleButton>
      {!maySend && (
        <RoleButton {...button} onClick={() => ask("verify")}>
          {words.withoutCheck}
        </RoleButton>
      )}
      {maySend && seenAt === null && (
        <RoleButton
          {...button}
          loading={verifying.isPending}
          onClick={() => verifying.prepare({ domainVerified: false })}
        >
          {words.takeBack}
        </RoleButton>
      )}
      <Dialog opened={asked === "key"} close={close} title={words.newKeyTitle}>
        <Question
          {...{ about: words.newKeyAbout, yes: words.makeKey, close, answer: renew }}
          {...{ error: renewing.error, isPending: renewing.isPending }}
        />
      </Dialog>
      <Dialog opened={asked === "verify"} close={close} title={words.withoutCheckTitle}>
        <Question
          {...{ about: words.withoutCheckAbout, yes: words.withoutCheck, close }}
          {...{ error: verifying.error, isPending: verifying.isPending }}
          answer={() => verifying.prepare({ domainVerified: true }, close)}
        />
      </Dialog>
    </>
  );
}
