import { Anchor, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { search } from "../../../platform/address.ts";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf, zoneName } from "../../../platform/times.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { type Health, shareOfSent, waitingOf } from "../rules.ts";
import { words } from "../words.ts";
import { StopAlert } from "./stop-alert.tsx";

type OfScope = { scope: string };

function Pace({ pace: { perMinute, domainPerMinute, nextAt } }: { pace: Health["pace"] }) {
  const sentences = [
    perMinute === null ? null : words.paced(perMinute),
    domainPerMinute === null ? null : words.domainPaced(domainPerMinute),
    nextAt === null ? null : words.pacedNext(timeWithSecondsOf(nextAt)),
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : <Text size="sm">{sentences.join(" ")}</Text>;
}

function Named({ text: [name, about] }: { text: readonly [string, string] }) {
  return (
    <>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </>
  );
}

function Became({ totals }: { totals: Health["totals"] }) {
  const names = Object.keys(words.totals) as (keyof Health["totals"])[];
  const share = (name: keyof Health["totals"]): string | null => {
    if (["sent", "failed", "suppressed", "frequencyCapped", "withdrawn"].includes(name)) return null;
    const part = shareOfSent(totals[name], totals.sent);
    return part === null ? null : percentOf(part);
  };
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.became}
      </Title>
      <Rows
        heads={[words.outcome, words.count, words.share]}
        rows={names.map((name) => ({
          id: name,
          cells: [<Named key="name" text={words.totals[name]} />, numberOf(totals[name]), share(name)],
        }))}
      />
    </Stack>
  );
}

function Waits({ queue }: { queue: Health["queue"] }) {
  const names = Object.keys(words.queue) as (keyof Health["queue"])[];
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.waitsFor}
      </Title>
      <Rows
        heads={[words.state, words.count]}
        rows={names.map((name) => ({
          id: name,
          cells: [<Named key="name" text={words.queue[name]} />, numberOf(queue[name])],
        }))}
      />
    </Stack>
  );
}

function Counted({ scope, health }: OfScope & { health: Health }) {
  const { totals, queue, pace, stops, at } = health;
  const waiting = waitingOf(queue);
  const isNothing = [...Object.values(totals), ...Object.values(queue)].every((count) => count === 0);
  return (
    <Stack gap="lg">
      {stops.map((stop) => (
        <StopAlert key={stop.campaignId ?? stop.kind} scope={scope} stop={stop} />
      ))}
      {isNothing ? (
        <Empty title={words.nothingYet} about={words.nothingYetAbout} filtered={null} />
      ) : (
        <>
          {stops.length === 0 && <Text>{words.flows}</Text>}
          <Pace pace={pace} />
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            <Figure label={words.sent} value={totals.sent} />
            <Figure label={words.waiting} value={waiting} />
            <Figure label={words.unknown} value={queue.unknown} />
            <Figure label={words.bounced} value={totals.bounced} />
          </SimpleGrid>
          {queue.unknown > 0 && (
            <Anchor component={Link} to="." search={search({ view: "unknown" })}>
              {words.decideUnknown(numberOf(queue.unknown))}
            </Anchor>
          )}
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
            <Became totals={totals} />
            <Waits queue={queue} />
          </SimpleGrid>
        </>
      )}
      <Text size="sm" c="dimmed">
        {words.asOf(timeWithSecondsOf(at), zoneName())}
      </Text>
    </Stack>
  );
}

/** What became of all mail of the project, what waits, and why. */
export function EmailGlance({ scope }: OfScope) {
  const health = useOperation(scope, "getEmailHealth");
  return <Loaded query={health}>{(found) => <Counted scope={scope} health={found} />}</Loaded>;
}
