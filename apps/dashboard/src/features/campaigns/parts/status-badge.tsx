import { Badge } from "@mantine/core";
import type { Status } from "../rules.ts";
import { words } from "../words.ts";

const LOOKS: Readonly<Record<Status, { variant: string; color?: string }>> = {
  draft: { variant: "default" },
  scheduled: { variant: "outline" },
  running: { variant: "filled" },
  paused: { variant: "light" },
  expired: { variant: "default" },
  ended: { variant: "default" },
};

/** The status of a campaign as a word; the look only helps to find it. */
export const StatusBadge = ({ status }: { status: Status }) => (
  <Badge {...LOOKS[status]}>{words.statuses[status]}</Badge>
);
