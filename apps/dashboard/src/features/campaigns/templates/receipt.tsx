import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useNamed } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { sizeOf } from "../../../platform/sizes.ts";
import { exactTimeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { Page } from "../../../ui/page.tsx";
import { Section } from "../../../ui/section.tsx";
import { JsonBlock } from "../../../ui/texts/json.tsx";
import { timesOf } from "../../../ui/texts/times-of.ts";
import { To } from "../../../ui/to.tsx";
import { UserName } from "../../../ui/user/user-name.tsx";
import { ReceiptBadge } from "./parts/receipt-badge.tsx";
import { isGuest, type ReceiptDetail, timelineOf } from "./rules.ts";
import { words } from "./words.ts";

type OfReceipt = { scope: string; receipt: ReceiptDetail };

/** The address that a receipt goes to, and the user whose it is. One of whom only the address is known is named once. */
function Recipient({
  scope,
  to,
  externalUserId,
}: Pick<ReceiptDetail, "to" | "externalUserId"> & { scope: string }) {
  if (to !== null && isGuest(externalUserId))
    return (
      <To scope={scope} path={`users/${encodeURIComponent(externalUserId)}`}>
        {to}
      </To>
    );
  return (
    <>
      <Text size="sm" className={long.long}>
        {to ?? words.unknownAddress}
      </Text>
      {externalUserId !== "" && <UserName scope={scope} userId={externalUserId} size="sm" />}
    </>
  );
}

function Facts({ scope, receipt }: OfReceipt) {
  const { state, reason, to, externalUserId, tags, template, campaignId } = receipt;
  const named = Object.entries(tags).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <ReceiptBadge state={state} />
        <Text size="sm">{words.aboutStates[state]}</Text>
      </Group>
      {reason !== null && (
        <Text size="sm" className={long.long}>
          {reason}
        </Text>
      )}
      <Group gap="xs">
        <Text size="sm" c="dimmed">{`${words.to}:`}</Text>
        <Recipient scope={scope} to={to} externalUserId={externalUserId} />
      </Group>
      <Group gap="xs">
        <Text size="sm" c="dimmed">{`${words.template}:`}</Text>
        <To scope={scope} path={`templates/${campaignId}`}>
          {template ?? words.ownMail}
        </To>
      </Group>
      {named.length > 0 && (
        <Text size="sm" className={long.long}>{`${words.tags}: ${named.join(", ")}`}</Text>
      )}
    </Stack>
  );
}

function Attempts({ attempts }: Pick<ReceiptDetail, "attempts">) {
  if (attempts.length === 0) return <Text>{words.noAttempt}</Text>;
  return (
    <Rows
      heads={[words.began, words.outcome, words.answer]}
      rows={attempts.map(({ number, startedAt, outcome, code, response }) => ({
        id: number,
        cells: [
          exactTimeOf(startedAt),
          outcome === null ? words.running : (words.outcomes[outcome] ?? outcome),
          <Text key="answer" size="sm" className={long.long}>
            {/* Servers begin their answer with its code; where this one has not, it stands before. */}
            {code === null || response?.startsWith(String(code)) ? response : `${code} ${response ?? ""}`}
          </Text>,
        ],
      }))}
    />
  );
}

/** What filled a receipt, or why it is not shown. */
function FilledWith({ scope, receipt: { data, template, campaignId } }: OfReceipt) {
  const found = useOperation(scope, "getCampaign", { path: { id: campaignId } }, { enabled: data === null });
  if (template === null) return <Text>{words.ownData}</Text>;
  if (data !== null) return <JsonBlock value={data} label={words.dataOfIt} />;
  return (
    <Loaded query={found}>
      {({ campaign }) => <Text>{campaign.sensitive ? words.hidden : words.notKept}</Text>}
    </Loaded>
  );
}

const Files = ({ files }: Pick<ReceiptDetail, "files">) => (
  <Rows
    heads={[words.file, words.type, words.size]}
    rows={files.map(({ name, contentType, bytes }, index) => ({
      id: index,
      cells: [
        <Text key="name" size="sm" className={long.long}>
          {name}
        </Text>,
        contentType,
        sizeOf(bytes),
      ],
    }))}
  />
);

function Parts({ scope, receipt }: OfReceipt) {
  const { files, attempts } = receipt;
  return (
    <Stack gap="lg">
      <Facts scope={scope} receipt={receipt} />
      <Section title={words.timeline}>
        <Rows
          heads={[words.step, words.when]}
          rows={timelineOf(receipt).map(({ name, at }) => ({ id: name, cells: [name, exactTimeOf(at)] }))}
        />
        <Text size="sm" c="dimmed">
          {timesOf()}
        </Text>
      </Section>
      <Section title={words.attempts} about={words.attemptsAbout}>
        <Attempts attempts={attempts} />
      </Section>
      <Section title={words.filledWith}>
        <FilledWith scope={scope} receipt={receipt} />
      </Section>
      {files.length > 0 && (
        <Section title={words.files}>
          <Files files={files} />
        </Section>
      )}
    </Stack>
  );
}

/** One mail that code has requested: what became of it, and why. */
export function ReceiptPage({ scope }: { scope: string }) {
  const id = useNamed("receiptId");
  const found = useOperation(scope, "getSend", { path: { id } });
  const subject = found.data?.send.subject ?? null;
  return (
    <Page {...(subject !== null && { title: subject })}>
      <Anchor component={Link} to={`/p/${scope}/templates?view=sends`} size="sm">
        {words.backToReceipts}
      </Anchor>
      <Loaded query={found}>{({ send }) => <Parts scope={scope} receipt={send} />}</Loaded>
    </Page>
  );
}
