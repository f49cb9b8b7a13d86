import { Badge } from "@mantine/core";
import type { CampaignStatus } from "../../platform/api-types.ts";
import { campaignStatuses } from "./campaign-statuses.ts";

/** How the statuses of campaigns, and of templates, look. */
export const STATUS_LOOKS: Readonly<Record<CampaignStatus, { variant: string; color?: string }>> = {
  draft: { variant: "default" },
  scheduled: { variant: "outline" },
  running: { variant: "filled" },
  paused: { variant: "light" },
  expired: { variant: "default" },
  ended: { variant: "default" },
};

/** The status of a campaign as a word; the look only helps to find it. */
export const StatusBadge = ({ status }: { status: CampaignStatus }) => (
  <Badge {...STATUS_LOOKS[status]}>{campaignStatuses[status]}</Badge>
);
