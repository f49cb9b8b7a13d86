import { z } from "zod";
import type { CampaignStatus } from "../../campaigns/authoring/rules.ts";
import { gate } from "./gate.ts";

const STATUS: Readonly<Record<CampaignStatus, string>> = {
  draft: "The campaign is a draft: launch it.",
  running: "The campaign is running.",
  paused: "The campaign is paused: launch it again.",
  ended: "The campaign has ended, for good.",
};

type Facts = { campaign: { status: CampaignStatus } };

/** Whether the campaign runs. */
export const statusGate = gate({
  gate: "status",
  asks: "is the campaign running?",
  stages: [],
  shape: {
    status: z
      .enum(["draft", "running", "paused", "ended"])
      .meta({ description: "Stored status; only `running` passes.", example: "running" }),
  },
  passes: ({ campaign }: Facts) => campaign.status === "running",
  note: ({ campaign }: Facts) => STATUS[campaign.status],
  details: ({ campaign: { status } }: Facts) => ({ status }),
});
