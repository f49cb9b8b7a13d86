import type { Db } from "../../platform/db/db.ts";
import type { CampaignRow } from "../campaigns/authoring/public.ts";
import type { CampaignCounts } from "../campaigns/goals/rates.pure.ts";
import type { Goal } from "../campaigns/goals/schema.ts";
import { countMatured } from "../deliveries/public.ts";
import { countSent } from "./store.ts";

const NONE = { exposed: 0, converted: 0 };

/** The counts of a campaign that guardrails look at, all of its variants together. `db` has to read at one instant. */
export async function countCampaign(
  db: Db,
  campaign: CampaignRow,
  goal: Goal | null,
  now: number,
): Promise<CampaignCounts> {
  const sent = await countSent(db, campaign.projectId, campaign.id);
  const matured = goal === null ? NONE : await countMatured(db, campaign, goal, now);
  return { ...sent, ...matured };
}
