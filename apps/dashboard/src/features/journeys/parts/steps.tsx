import { Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import { StepList } from "../../../ui/journey-steps/step-list.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { To } from "../../../ui/to.tsx";
import {
  figuresOf,
  type Journey,
  type JourneyResults,
  leftOf,
  type Step,
  type StepResults,
} from "../rules.ts";
import { words } from "../words.ts";

type OfJourney = { scope: string; journey: Journey };

type Counted = { step: Step; title: string; results: StepResults | undefined } & OfJourney;

/** How many users are at a step, and what became of those who came by. */
function Counts({ scope, journey, step, title, results }: Counted) {
  const figures = results === undefined ? [] : figuresOf(step, results);
  if (figures.length === 0) return null;
  return (
    <Group gap="4px 20px" role="group" aria-label={words.countsOf(title)}>
      {figures.map(({ name, value }) => (
        <Text key={name} size="sm">
          {words.figureOf(name)} <b>{value}</b>
        </Text>
      ))}
      {results !== undefined && results.here > 0 && (
        <To
          scope={scope}
          path={`journeys/${journey.id}`}
          search={{ view: "users", state: "inside", step: step.id }}
        >
          {words.showHere}
        </To>
      )}
    </Group>
  );
}

function Figures({ results }: { results: JourneyResults }) {
  const left = leftOf(results);
  const gone = left.reduce((sum, { users }) => sum + users, 0);
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <Figure label={words.figures.entered} value={results.entered} about={words.figuresAbout.entered} />
      <Figure
        label={words.figures.inside}
        value={results.inside}
        about={
          results.moved === 0
            ? words.figuresAbout.inside
            : `${words.figuresAbout.inside} ${words.movedOn(results.moved)}`
        }
      />
      <Figure
        label={words.figures.left}
        value={gone}
        about={
          left.length === 0
            ? words.noneLeft
            : `${left.map(({ name, users }) => words.wayOut(users, name)).join(", ")}.`
        }
      />
    </SimpleGrid>
  );
}

/** The way through a journey, with where users are on it and how they have left. */
export function JourneySteps({ scope, journey }: OfJourney) {
  const results = useOperation(scope, "getJourneyResults", { path: { id: journey.id } });
  return (
    <Loaded query={results}>
      {(found) => (
        <Stack>
          <Figures results={found} />
          <Title order={2} size="h4">
            {words.steps}
          </Title>
          <StepList
            scope={scope}
            steps={journey.steps}
            label={words.steps}
            order={3}
            below={(step, title) => (
              <Counts
                scope={scope}
                journey={journey}
                step={step}
                title={title}
                results={found.steps.find(({ stepId }) => stepId === step.id)}
              />
            )}
          />
          <Text size="sm" c="dimmed">
            {words.afterLast}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}
