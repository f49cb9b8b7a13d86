import { Progress, Stack, Text, Title } from "@mantine/core";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { type Campaign, lossesOf, type Step, stepsOf } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./funnel.module.css";

function Line({ step: { name, count, share } }: { step: Step }) {
  const label = words.stats[name];
  return (
    <li className={classes.step}>
      <Text size="sm">{label}</Text>
      <Progress value={(share ?? 0) * 100} aria-label={label} size="lg" />
      <Text size="sm" ta="end">
        {numberOf(count)}
      </Text>
      <Text size="sm" c="dimmed" ta="end">
        {share === null ? "" : percentOf(share)}
      </Text>
    </li>
  );
}

/** How many deliveries reached each step, and what was lost on the way. */
export function Funnel({ campaign }: { campaign: Campaign }) {
  const steps = stepsOf(campaign);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.funnel}
      </Title>
      {steps.every(({ count }) => count === 0) ? (
        <Text>{words.nothingYet}</Text>
      ) : (
        <ul className={classes.steps}>
          {[...steps, ...lossesOf(campaign)].map((step) => (
            <Line key={step.name} step={step} />
          ))}
        </ul>
      )}
    </Stack>
  );
}
