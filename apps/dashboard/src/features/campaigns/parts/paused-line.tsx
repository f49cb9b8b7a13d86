import { Text } from "@mantine/core";
import type { Campaign } from "../../../platform/api-types.ts";
import classes from "../../../ui/look/long.module.css";
import { pauseOf } from "../rules.ts";

type Props = {
  campaign: Pick<Campaign, "status" | "pausedBy">;
  /** The reason in words, where it is known. */
  because?: string | null;
};

/** The line that says who paused a campaign, and when; nothing where it is not paused. */
export function PausedLine({ campaign, because = null }: Props) {
  const text = pauseOf(campaign);
  return text === null ? null : (
    <Text size="sm" c="dimmed" className={classes.long}>
      {because === null ? text : `${text}: ${because}`}
    </Text>
  );
}
