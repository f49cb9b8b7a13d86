import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { useCampaignWords } from "../../../ui/campaigns/campaign-names.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Section } from "../../../ui/section.tsx";
import { opsInWords, textsOf } from "../../../ui/texts/ops-in-words.pure.ts";
import { WordDiff } from "../../../ui/texts/word-diff.tsx";
import type { Segment } from "../rules.ts";
import { words } from "../words.ts";

type Compared = Answer<"compareSegmentVersions">;

/** The users who are in only one of both versions, in a sentence. */
function moves({ joining, leaving }: Compared): string {
  const parts = [
    ...(joining > 0 ? [words.joining(joining)] : []),
    ...(leaving > 0 ? [words.leaving(leaving)] : []),
  ];
  return parts.length === 0 ? words.noMoves : `${parts.join(", ")}.`;
}

function Found({ scope, comparison }: { scope: string; comparison: Compared }) {
  const written = useCampaignWords(scope, textsOf(comparison.ops));
  const ops = opsInWords(comparison.ops, written);
  const isSame = comparison.ops.every(({ op }) => op === "keep");
  return (
    <Stack gap="xs">
      {isSame ? <Text size="sm">{words.sameWords}</Text> : <WordDiff ops={ops} />}
      <Text fw={600}>
        {words.moved(numberOf(comparison.before), numberOf(comparison.after))} {moves(comparison)}
      </Text>
      <Text size="sm" c="dimmed">
        {words.countedAt(timeOf(comparison.evaluatedAt), zoneName())}
      </Text>
    </Stack>
  );
}

/** How many versions are offered; an address may name others. */
const OFFERED = 100;

/** A version that an address names, within those that there are. */
const versionIn = (text: string | undefined, fallback: number, last: number): number =>
  Math.min(Math.max(1, Math.trunc(Number(text)) || fallback), last);

/** Two versions of a segment beside each other: the last two, unless the address names others. */
export function SegmentComparison({
  scope,
  segment: { id, currentVersion },
}: {
  scope: string;
  segment: Segment;
}) {
  const [address, change] = useAddress();
  const to = versionIn(address.to, currentVersion, currentVersion);
  const from = versionIn(address.from, Math.max(1, to - 1), currentVersion);
  const compared = useOperation(
    scope,
    "compareSegmentVersions",
    { path: { id }, query: { from, to } },
    { refetchInterval: false },
  );
  const newest = Array.from(
    { length: Math.min(currentVersion, OFFERED) },
    (_, index) => currentVersion - index,
  );
  const versions = [...new Set([...newest, from, to])].map(String);
  return (
    <Section title={words.comparison} isFramed>
      <Group>
        <NativeSelect
          label={words.before}
          data={versions}
          value={String(from)}
          onChange={({ currentTarget }) => change({ from: currentTarget.value })}
        />
        <NativeSelect
          label={words.after}
          data={versions}
          value={String(to)}
          onChange={({ currentTarget }) => change({ to: currentTarget.value })}
        />
      </Group>
      <Loaded query={compared}>{(comparison) => <Found scope={scope} comparison={comparison} />}</Loaded>
    </Section>
  );
}
