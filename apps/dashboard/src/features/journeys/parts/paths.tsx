import { Badge, Group, Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { SaveTable } from "../../../ui/save/save-table.tsx";
import { Section } from "../../../ui/section.tsx";
import type { VariantNames } from "../../../ui/statistics/comparison.ts";
import { ComparisonTable, comparisonRows } from "../../../ui/statistics/comparison-table.tsx";
import { pathWords } from "../../../ui/statistics/comparison-words.ts";
import { FindingOf } from "../../../ui/statistics/finding.tsx";
import { SplitOf } from "../../../ui/statistics/split.tsx";
import { To } from "../../../ui/to.tsx";
import { asVariants, type Journey, type JourneyResults, type JourneyStatistics, splitOf } from "../rules.ts";
import { words } from "../words.ts";

type OfJourney = { scope: string; journey: Journey };
type Counted = OfJourney & { results: JourneyResults };

const Name = ({ name, isControl }: { name: string; isControl: boolean }) => (
  <Group gap="xs">
    <Text fw={600} className={long.long}>
      {name}
    </Text>
    {isControl && <Badge variant="light">{words.control}</Badge>}
  </Group>
);

/** How often users entered by each path. */
function ByPath({ journey, results }: Counted) {
  const entered = new Map(results.arms.map((arm) => [arm.name, arm.entered]));
  return (
    <Section title={words.byPath} about={words.byPathAbout}>
      <Rows
        heads={[words.path, words.weight, words.enteredBy]}
        rows={(splitOf(journey)?.arms ?? []).map((arm) => ({
          id: arm.name,
          cells: [<Name key="name" {...arm} />, numberOf(arm.weight), numberOf(entered.get(arm.name) ?? 0)],
        }))}
      />
    </Section>
  );
}

/** A path is its name. */
const NAMES: VariantNames = new Map();

function Claims({ statistics }: { statistics: JourneyStatistics }) {
  const compared = asVariants(statistics);
  return (
    <Section
      title={words.compared}
      about={words.comparedAbout(statistics.attributionDays)}
      actions={<SaveTable name="paths" {...comparisonRows(compared, NAMES, pathWords)} />}
    >
      <Stack gap="lg">
        <FindingOf statistics={compared} names={NAMES} sides={pathWords} />
        <ComparisonTable
          statistics={compared}
          shown={compared.variants}
          sides={pathWords}
          nameOf={({ variantId, isControl }) => <Name name={variantId} isControl={isControl} />}
        />
        <SplitOf sampleRatio={compared.sampleRatio} names={NAMES} sides={pathWords} />
        <Text size="sm" c="dimmed">
          {words.comparedAge(timeOf(statistics.maturedUntil))}
        </Text>
      </Stack>
    </Section>
  );
}

/** Why nothing is claimed of the paths, and what to do about it. */
function NotCompared({ scope, journey, results: { noStatistics } }: Counted) {
  if (noStatistics === null || noStatistics === "no_split") return null;
  return (
    <Section title={words.compared}>
      <Text size="sm">{words.notCompared[noStatistics]}</Text>
      {noStatistics === "no_event" && (
        <To scope={scope} path={`goals/${journey.goalId}`}>
          {words.toGoal}
        </To>
      )}
    </Section>
  );
}

/** The paths of a journey: how many users went each, and what may be claimed of them. */
export function Paths({ scope, journey }: OfJourney) {
  const results = useOperation(scope, "getJourneyResults", { path: { id: journey.id } });
  return (
    <Loaded query={results}>
      {(found) => (
        <Stack gap="xl">
          <ByPath scope={scope} journey={journey} results={found} />
          {found.statistics === null ? (
            <NotCompared scope={scope} journey={journey} results={found} />
          ) : (
            // Before the launch no user has entered, and nothing can be claimed.
            journey.startedAt !== null && <Claims statistics={found.statistics} />
          )}
        </Stack>
      )}
    </Loaded>
  );
}
