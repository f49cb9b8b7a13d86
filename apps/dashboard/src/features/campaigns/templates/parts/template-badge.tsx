import { Badge } from "@mantine/core";
import type { Campaign } from "../../../../platform/api-types.ts";
import { STATUS_LOOKS } from "../../../../ui/campaigns/campaign-status.tsx";
import { words } from "../words.ts";

/** The status of a template as a word: one that runs is live. */
export const TemplateBadge = ({ status }: { status: Campaign["effectiveStatus"] }) => (
  <Badge {...STATUS_LOOKS[status]}>{words.statuses[status]}</Badge>
);
