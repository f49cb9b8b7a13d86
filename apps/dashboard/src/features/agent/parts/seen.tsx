import { Alert, Badge, Group, Text } from "@mantine/core";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import { BrokenSplit } from "../../../ui/statistics/cells.tsx";
import type { DecisionStory, SeenVariant } from "../story.pure.ts";
import { words } from "../words.ts";

type Names = Readonly<Record<string, string>>;

function Name({ variant: { id, isControl, isRewritten }, names }: { variant: SeenVariant; names: Names }) {
  return (
    <>
      <Group gap="xs">
        <Text fw={600}>{names[id] ?? words.formerVariant}</Text>
        {isControl && <Badge variant="light">{words.control}</Badge>}
      </Group>
      {isRewritten && (
        <Text size="sm" c="dimmed">
          {words.rewritten}
        </Text>
      )}
    </>
  );
}

const Users = ({ counts: { users, pending } }: { counts: NonNullable<SeenVariant["counts"]> }) => (
  <>
    <Text>{numberOf(users)}</Text>
    {pending > 0 && (
      <Text size="sm" c="dimmed">
        {words.pending(pending)}
      </Text>
    )}
  </>
);

function shareOf({ before, after }: SeenVariant["share"]): string {
  return before === after ? percentOf(before) : words.shareMoves(percentOf(before), percentOf(after));
}

function cellsOf(variant: SeenVariant, names: Names, isSplitBroken: boolean) {
  const { counts, verdict } = variant;
  return [
    <Name key="name" variant={variant} names={names} />,
    counts && <Users key="users" counts={counts} />,
    counts &&
      (counts.users === 0
        ? numberOf(counts.converted)
        : words.convertedOf(numberOf(counts.converted), percentOf(counts.converted / counts.users))),
    verdict && (isSplitBroken ? <BrokenSplit key="verdict" /> : (words.verdicts[verdict] ?? verdict)),
    shareOf(variant.share),
  ];
}

const countsOf = ({ targetEvent, attributionDays }: DecisionStory): string =>
  targetEvent === null ? words.countsNothing : words.counts(targetEvent, attributionDays);

/** The figures from which a decision was made, by variant, and what it does to the shares of users. */
export function Seen({ story, variants: names }: { story: DecisionStory; variants: Names }) {
  const { takenAt, variants, isSplitBroken } = story;
  return (
    <Section title={words.saw}>
      <Text size="sm" c="dimmed">
        {[takenAt === null ? [] : [words.sawAt(timeOf(takenAt))], countsOf(story)].flat().join(" ")}
      </Text>
      {isSplitBroken && <Alert color="red">{words.splitBroken}</Alert>}
      <Rows
        heads={[words.variant, words.users, words.converted, words.against, words.share]}
        rows={variants.map((each) => ({ id: each.id, cells: cellsOf(each, names, isSplitBroken) }))}
      />
    </Section>
  );
}
