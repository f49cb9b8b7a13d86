import type { Db } from "../../platform/db/db.ts";
import { findCampaign } from "../campaigns/authoring/public.ts";
import { countSent, markCleared } from "./store.ts";

/**
 * Clears the breaches of a campaign (UUID), which may then be launched again: its rates are counted from now on. Answers how many there
 * were, or null where the project has no such campaign. Needs a transaction. What one rate is made of comes of one statement, so that its
 * two counts agree in any transaction.
 */
export async function clearBreaches(
  tx: Db,
  projectId: string,
  campaignId: string,
  decision: { by: string; reason: string; at: number },
): Promise<number | null> {
  const campaign = await findCampaign(tx, projectId, campaignId, "for update");
  if (campaign === null) return null;
  const counts = await countSent(tx, projectId, campaignId);
  return markCleared(tx, projectId, campaignId, { ...decision, counts });
}
