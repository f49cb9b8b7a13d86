import { Alert, Stack, Text } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import long from "../../../ui/look/long.module.css";
import { isArriving, type Sync } from "../rules.ts";
import { dueText, hostOf } from "../texts.ts";
import { words } from "../words.ts";
import { SyncBadge } from "./sync-badge.tsx";

/** Why nothing is written, with what to do; nothing while it works. */
function Trouble({ sync: { state, failingSince, fault, to } }: { sync: Sync }) {
  if (state === "off")
    return (
      <Alert color="gray" title={words.off.title} role="status">
        <Text size="sm">{words.off.about}</Text>
      </Alert>
    );
  if (failingSince === null) return null;
  return (
    <Alert color="red" title={words.failing.title(timeOf(failingSince))} role="status">
      <Stack gap="xs">
        {fault !== null && (
          <Text size="sm" className={long.long}>
            {words.fault(fault)}
          </Text>
        )}
        <Text size="sm">
          {words.failing.about} {"s3" in to && words.failing.bucketAbout}
        </Text>
      </Stack>
    </Alert>
  );
}

/** Where a sync writes to, and with which key. */
function placeText({ to }: Sync): string {
  if ("folder" in to) return words.facts.folder;
  const { bucket, endpoint, region, accessKeyId } = to.s3;
  return `${words.facts.bucket(bucket, hostOf(endpoint), region)} ${words.facts.key(accessKeyId)}`;
}

/** What a sync writes, and how often. */
function rhythmText({ format, every, lists, history }: Sync): string {
  const { facts } = words;
  return [
    facts.format(words.formats[format]),
    ...(lists.some(isArriving) ? [facts.rhythm[every]] : []),
    ...(lists.every(isArriving) ? [] : [facts.whole]),
    ...(history || !lists.some(isArriving) ? [] : [facts.noHistory]),
  ].join(" ");
}

/** How a sync is: whether its files arrive, where, and how often. */
export function SyncFacts({ sync }: { sync: Sync }) {
  const due = dueText(sync);
  const { succeededAt } = sync;
  return (
    <Stack gap="xs">
      <SyncBadge sync={sync} />
      <Trouble sync={sync} />
      <Text size="sm" className={long.long}>
        {placeText(sync)}
      </Text>
      <Text size="sm">{rhythmText(sync)}</Text>
      <Text size="sm">
        {succeededAt === null ? words.facts.never : words.facts.succeeded(timeOf(succeededAt))}{" "}
        {due !== null && words.facts.due(due)}
      </Text>
    </Stack>
  );
}
