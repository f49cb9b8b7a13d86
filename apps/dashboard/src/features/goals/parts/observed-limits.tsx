import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { numberOf } from "../../../platform/figures.ts";
import { StatusBadge } from "../../../ui/campaigns/campaign-status.tsx";
import { guardrailCells, guardrailName } from "../../../ui/guardrails/names.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import type { EnforcedLimits } from "../rules.ts";
import { words } from "../words.ts";

type Watched = EnforcedLimits["campaigns"][number];

const Readings = ({
  scope,
  campaign: { id, name, status, readings },
}: {
  scope: string;
  campaign: Watched;
}) => (
  <Stack gap="xs">
    <Group gap="xs">
      <Anchor component={Link} to={`/p/${scope}/campaigns/${id}`} fw={600} className={classes.long}>
        {name}
      </Anchor>
      <StatusBadge status={status} />
    </Group>
    <Rows
      heads={[words.limit, words.allowed, words.now]}
      rows={readings.map(({ guardrail, limit, observed }) => ({
        id: guardrail,
        cells: [guardrailName(guardrail), ...guardrailCells(guardrail, { limit, observed })],
      }))}
    />
  </Stack>
);

/** What each campaign that is watched observes of the limits. */
export function ObservedLimits({
  scope,
  limits: { campaigns, watched },
}: {
  scope: string;
  limits: EnforcedLimits;
}) {
  const isNothing = campaigns.every(({ readings }) => readings.length === 0);
  return (
    <Stack component="section" aria-label={words.observed}>
      <div>
        <Title order={2} size="h4">
          {words.observed}
        </Title>
        <Text c="dimmed">{words.observedAbout}</Text>
      </div>
      {campaigns.length === 0 && <Text>{words.noneWatched}</Text>}
      {campaigns.length > 0 && isNothing && <Text>{words.nothingToWatch}</Text>}
      {!isNothing &&
        campaigns.map((campaign) => <Readings key={campaign.id} scope={scope} campaign={campaign} />)}
      {watched > campaigns.length && (
        <Text size="sm">{words.someWatched(numberOf(campaigns.length), numberOf(watched))}</Text>
      )}
    </Stack>
  );
}
