import { Group, Text } from "@mantine/core";
import classes from "../../../ui/long.module.css";
import { To } from "../../../ui/to.tsx";
import { namesOf, withNames } from "../../../ui/with-names.ts";
import { type Campaign, type CampaignDetail, pauseOf } from "../rules.ts";
import { words } from "../words.ts";

/** Who paused a campaign, and when, in a line: for lists. */
export function PausedLine({ campaign }: { campaign: Pick<Campaign, "status" | "pausedBy"> }) {
  const text = pauseOf(campaign);
  return text === null ? null : (
    <Text size="xs" c="dimmed" className={classes.long}>
      {text}
    </Text>
  );
}

/** Who paused a campaign, when and why, with the way to where it is decided. */
export function Paused({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const text = pauseOf(campaign);
  if (text === null) return null;
  const { pausedBy, pausedBecause, variants } = campaign;
  const isLimit = pausedBy?.by === "guardrail";
  return (
    <Group gap="sm">
      <Text size="sm" className={classes.long}>
        {pausedBecause === null ? `${text}.` : `${text}: ${withNames(pausedBecause, namesOf(variants))}`}
      </Text>
      {pausedBy !== null && pausedBy.runId !== null && (
        <To scope={scope} path={`agent/runs/${pausedBy.runId}`}>
          {words.pausedRun}
        </To>
      )}
      {isLimit && (
        <To scope={scope} path="approvals">
          {words.decideLimit}
        </To>
      )}
    </Group>
  );
}
