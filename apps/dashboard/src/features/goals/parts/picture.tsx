import { Group, Stack, Text, Title } from "@mantine/core";
import type { Goal } from "../../../platform/api-types.ts";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import type { EnforcedLimits } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./picture.module.css";

const HUNDRED = 100;

type BarProps = {
  title: string;
  /** What the larger and the smaller part are, and which share the smaller one has (0.1: 10 %). */
  most: string;
  least: string;
  share: number;
  about: string;
};

/** A whole and a small part of it, with words for both. */
function Bar({ title, most, least, share, about }: BarProps) {
  return (
    <Stack gap={4} component="li">
      <Text fw={600}>{title}</Text>
      <div className={classes.bar} role="img" aria-label={`${title}: ${most}, ${least}`}>
        <div className={classes.most} />
        <div className={classes.least} style={{ width: `${share * HUNDRED}%` }} />
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{most}</Text>
        <Text size="sm">{least}</Text>
      </Group>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </Stack>
  );
}

function Users({ goal: { holdoutPercent } }: { goal: Goal }) {
  const out = holdoutPercent / HUNDRED;
  if (holdoutPercent === 0) return <Missing title={words.users} about={words.allServed} />;
  return (
    <Bar
      title={words.users}
      most={words.served(percentOf(1 - out))}
      least={words.withheld(percentOf(out))}
      share={out}
      about={words.usersAbout(HUNDRED - holdoutPercent, holdoutPercent)}
    />
  );
}

function Verdicts({
  errorBudget: { limit, verdicts, treatments, nextEvidence },
}: {
  errorBudget: NonNullable<EnforcedLimits["errorBudget"]>;
}) {
  const about = [
    words.verdictsAbout(percentOf(limit), verdicts, treatments),
    words.evidence(numberOf(Math.ceil(nextEvidence))),
  ];
  return (
    <Bar
      title={words.verdicts}
      most={words.right(percentOf(1 - limit))}
      least={words.wrong(percentOf(limit))}
      share={limit}
      about={about.join(" ")}
    />
  );
}

const Missing = ({ title, about }: { title: string; about: string }) => (
  <Stack gap={4} component="li">
    <Text fw={600}>{title}</Text>
    <Text size="sm" c="dimmed">
      {about}
    </Text>
  </Stack>
);

/** Whom the goal holds out, and how many verdicts may be wrong: what certainty costs, in one picture on one scale. */
export function Picture({ goal, limits: { errorBudget } }: { goal: Goal; limits: EnforcedLimits }) {
  return (
    <Stack component="section" aria-label={words.picture} gap="xs">
      <Title order={2} size="h4">
        {words.picture}
      </Title>
      <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }} maw="44rem">
        <Users goal={goal} />
        {errorBudget === null ? (
          <Missing title={words.verdicts} about={words.noBudget} />
        ) : (
          <Verdicts errorBudget={errorBudget} />
        )}
      </Stack>
    </Stack>
  );
}
