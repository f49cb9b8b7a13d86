import type { Db } from "../../platform/db/db.ts";
import type { CampaignRow } from "../campaigns/authoring/public.ts";
import { type CampaignCounts, sentSince } from "../campaigns/goals/rates.pure.ts";
import type { Goal } from "../campaigns/goals/schema.ts";
import { countMatured } from "../deliveries/public.ts";
import { type Clearing, countSent } from "./store.ts";

const NONE = { exposed: 0, converted: 0 };

/**
 * The counts of a campaign that guardrails look at, all of its variants together, since its last clearing. Of conversions, those of users
 * who were reached after it: the goal may ask for another event or window by now, so that former counts say nothing about the new ones.
 * `db` has to read at one instant.
 */
export async function countCampaign(
  db: Db,
  campaign: CampaignRow,
  goal: Goal | null,
  { cleared, now }: { cleared: Clearing | null; now: number },
): Promise<CampaignCounts> {
  const sent = sentSince(await countSent(db, campaign.projectId, campaign.id), cleared?.counts ?? null);
  const reached = { evaluatedAt: now, exposedAfter: cleared?.at ?? null };
  const matured = goal === null ? NONE : await countMatured(db, campaign, goal, reached);
  return { ...sent, ...matured };
}
