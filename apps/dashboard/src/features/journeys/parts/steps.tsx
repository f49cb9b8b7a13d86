import { Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { CSSProperties } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { WithCampaigns } from "../../../ui/campaigns/campaign-names.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { To } from "../../../ui/to.tsx";
import {
  comesFrom,
  depthsOf,
  figuresOf,
  type Journey,
  type JourneyResults,
  leftOf,
  ruleInWords,
  type Step,
  type StepResults,
  stepTitle,
} from "../rules.ts";
import { words } from "../words.ts";
import { useStepNames } from "./step-names.ts";
import classes from "./steps.module.css";

type OfJourney = { scope: string; journey: Journey };
type TitleAt = (index: number) => string;

/** What happens at a step, and where users go from it. */
function About({ scope, step, journey, titleAt }: OfJourney & { step: Step; titleAt: TitleAt }) {
  switch (step.kind) {
    case "send":
      return (
        <>
          <Text size="sm" c="dimmed">
            {step.campaignStatus === "paused" ? words.pausedStep : words.sendAbout[step.channel]}
          </Text>
          <To scope={scope} path={`campaigns/${step.campaignId}`}>
            {words.toMessage}
          </To>
        </>
      );
    case "wait":
      return (
        <>
          {step.date !== undefined && (
            <Text size="sm" c="dimmed" className={long.long}>
              {words.dateAbout(step.date.trait)}
            </Text>
          )}
          {step.orEvent?.where !== undefined && (
            <Text size="sm" className={long.long}>
              {words.soonerBy(ruleInWords(step.orEvent))}
            </Text>
          )}
        </>
      );
    case "if": {
      const { audience } = step;
      const to = journey.steps.findIndex(({ id }) => id === step.else);
      return (
        <>
          <Text size="sm" className={long.long}>
            {audience.kind === "invalid" ? (
              words.ifNone
            ) : audience.kind === "all" ? (
              words.ifAll
            ) : (
              <WithCampaigns scope={scope} text={words.ifYes(audience.summary)} />
            )}
          </Text>
          <Text size="sm" className={long.long}>
            {to < 0 ? words.otherToEnd : words.otherTo(titleAt(to))}
          </Text>
        </>
      );
    }
    case "split":
      return step.arms.map(({ name, weight, isControl, to }) => {
        const place = journey.steps.findIndex(({ id }) => id === to);
        const share = numberOf(weight);
        const way = place < 0 ? words.armToEnd(name, share) : words.armTo(name, share, titleAt(place));
        return (
          <Text key={name} size="sm" className={long.long}>
            {isControl ? `${way} ${words.armIsControl}` : way}
          </Text>
        );
      });
    case "end":
      return (
        <Text size="sm" c="dimmed">
          {words.endAboutStep}
        </Text>
      );
  }
}

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

/** All steps from top to bottom. What only those come to who match lies deeper. */
function Tree({ scope, journey, results }: OfJourney & { results: JourneyResults }) {
  const { steps } = journey;
  const nameOf = useStepNames(scope, journey.id);
  const depths = depthsOf(steps);
  const titleAt = (index: number): string => {
    const step = steps[index];
    return step === undefined ? "" : words.nth(numberOf(index + 1), stepTitle(step, nameOf));
  };
  return (
    <ol className={classes.steps} aria-label={words.steps}>
      {steps.map((step, index) => {
        const depth = depths[index] ?? 0;
        const from = comesFrom(steps, step.id);
        const title = titleAt(index);
        return (
          <li
            key={step.id}
            className={`${classes.step} ${depth > 0 ? classes.deep : ""}`}
            style={{ "--depth": depth } as CSSProperties}
          >
            <Paper withBorder p="sm">
              <Stack gap={4} align="flex-start">
                {from.length > 0 && (
                  <Text size="sm" c="dimmed" className={long.long}>
                    {words.comesFrom(from.map(titleAt).join(", "))}
                  </Text>
                )}
                <Title order={3} size="h5" className={long.long}>
                  {title}
                </Title>
                <About scope={scope} journey={journey} step={step} titleAt={titleAt} />
                <Counts
                  scope={scope}
                  journey={journey}
                  step={step}
                  title={title}
                  results={results.steps.find(({ stepId }) => stepId === step.id)}
                />
              </Stack>
            </Paper>
          </li>
        );
      })}
    </ol>
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
          <Tree scope={scope} journey={journey} results={found} />
          <Text size="sm" c="dimmed">
            {words.afterLast}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}
