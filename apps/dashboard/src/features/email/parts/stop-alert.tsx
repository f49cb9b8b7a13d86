import { Alert, Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { timeOf } from "../../../platform/times.ts";
import classes from "../../../ui/look/long.module.css";
import type { Health } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; stop: Health["stops"][number] };

/** Why nothing leaves: of all mail, or of one campaign. */
export function StopAlert({ scope, stop: { message, at, campaignId, campaignName } }: Props) {
  return (
    <Alert
      color="red"
      title={
        campaignId === null ? (
          words.stopTitle
        ) : (
          <Anchor
            component={Link}
            to={`/p/${scope}/campaigns/${campaignId}`}
            fw={600}
            className={classes.long}
          >
            {words.stopOf(campaignName ?? "")}
          </Anchor>
        )
      }
    >
      <Text size="sm" className={classes.long}>
        {message}
      </Text>
      {at !== null && (
        <Text size="sm" c="dimmed">
          {words.since(timeOf(at))}
        </Text>
      )}
    </Alert>
  );
}
