import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import { numberOf } from "../../platform/figures.ts";
import { WithCampaigns } from "../campaigns/campaign-names.ts";
import long from "../look/long.module.css";
import { To } from "../to.tsx";
import classes from "./step-list.module.css";
import { comesFrom, depthsOf, type JourneyStep, nthTitle, ruleInWords } from "./titles.ts";
import { words } from "./words.ts";

type StepOf<Kind extends JourneyStep["kind"]> = { scope: string; step: Extract<JourneyStep, { kind: Kind }> };
/** The title of the step of an id; null for the end. */
type TitleOf = (stepId: string) => string | null;

function Sends({ scope, step }: StepOf<"send">) {
  const isPaused = "campaignStatus" in step && step.campaignStatus === "paused";
  return (
    <>
      <Text size="sm" c="dimmed">
        {isPaused ? words.pausedStep : words.sendAbout[step.channel]}
      </Text>
      {step.campaignId !== null && (
        <To scope={scope} path={`campaigns/${step.campaignId}`}>
          {words.toMessage}
        </To>
      )}
    </>
  );
}

const Waits = ({ step: { date, orEvent } }: StepOf<"wait">) => (
  <>
    {date !== undefined && (
      <Text size="sm" c="dimmed" className={long.long}>
        {words.dateAbout(date.trait)}
      </Text>
    )}
    {orEvent?.where !== undefined && (
      <Text size="sm" className={long.long}>
        {words.soonerBy(ruleInWords(orEvent))}
      </Text>
    )}
  </>
);

function Asks({ scope, step, titleOf }: StepOf<"if"> & { titleOf: TitleOf }) {
  const { audience } = step;
  const other = titleOf(step.else);
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
        {other === null ? words.otherToEnd : words.otherTo(other)}
      </Text>
    </>
  );
}

const Splits = ({ step, titleOf }: Omit<StepOf<"split">, "scope"> & { titleOf: TitleOf }) =>
  step.arms.map(({ name, weight, isControl, to }) => {
    const place = titleOf(to);
    const share = numberOf(weight);
    const way = place === null ? words.armToEnd(name, share) : words.armTo(name, share, place);
    return (
      <Text key={name} size="sm" className={long.long}>
        {isControl ? `${way} ${words.armIsControl}` : way}
      </Text>
    );
  });

/** What happens at a step, and where users go from it. */
function About({ scope, step, titleOf }: { scope: string; step: JourneyStep; titleOf: TitleOf }) {
  switch (step.kind) {
    case "send":
      return <Sends scope={scope} step={step} />;
    case "wait":
      return <Waits scope={scope} step={step} />;
    case "if":
      return <Asks scope={scope} step={step} titleOf={titleOf} />;
    case "split":
      return <Splits step={step} titleOf={titleOf} />;
    case "end":
      return (
        <Text size="sm" c="dimmed">
          {words.endAboutStep}
        </Text>
      );
  }
}

type Props<Step extends JourneyStep> = {
  scope: string;
  steps: readonly Step[];
  /** What the list is called. */
  label: string;
  /** How deep the headings of the steps lie in the page. */
  order: 3 | 4;
  /** What stands beside the heading of a step. */
  beside?: (step: Step) => ReactNode;
  /** What stands below a step. */
  below: (step: Step, title: string) => ReactNode;
};

/** The steps of a journey from top to bottom. What only those come to who match lies deeper. */
export function StepList<Step extends JourneyStep>({
  scope,
  steps,
  label,
  order,
  beside,
  below,
}: Props<Step>) {
  const depths = depthsOf(steps);
  const titles = new Map(steps.map((step, index) => [step.id, nthTitle(step, index)]));
  const titleOf: TitleOf = (stepId) => titles.get(stepId) ?? null;
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps.map((step, index) => {
        const depth = depths[index] ?? 0;
        const from = comesFrom(steps, step.id);
        const title = nthTitle(step, index);
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
                    {words.comesFrom(
                      from.map((place) => titles.get(steps[place]?.id ?? "") ?? "").join(", "),
                    )}
                  </Text>
                )}
                <Group gap="xs">
                  <Title order={order} size="h5" className={long.long}>
                    {title}
                  </Title>
                  {beside?.(step)}
                </Group>
                <About scope={scope} step={step} titleOf={titleOf} />
                {below(step, title)}
              </Stack>
            </Paper>
          </li>
        );
      })}
    </ol>
  );
}
