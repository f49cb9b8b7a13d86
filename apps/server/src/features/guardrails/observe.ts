import type { Db } from "../../platform/db/db.ts";
import {
  type CampaignRow,
  countActive,
  findForbiddenHost,
  findPhrase,
  listVariants,
} from "../campaigns/authoring/public.ts";
import { messageKindOf, placeInWindow } from "../campaigns/authoring/rules.ts";
import {
  controlShare,
  GUARDRAILS,
  type Guardrail,
  readGuardrails,
} from "../campaigns/goals/guardrails.pure.ts";
import { findGoal } from "../campaigns/goals/public.ts";
import { guardrailShare, isRateGuardrail, RATE_GUARDRAILS } from "../campaigns/goals/rates.pure.ts";
import { countCampaign } from "./counts.ts";
import { lastCleared } from "./store.ts";

/** A guardrail of a goal and what there is now; `observed` is null where there is nothing to count yet, or ever. */
export type GuardrailReading = { key: string; limit: number | null; observed: number | null };

/**
 * The guardrails of a campaign's goal with their limits and what there is now, in the order of the documents; none without a goal. Of
 * phrases and hosts the limit is 0, and texts that contain one, or links to others, are counted. One that cannot be read is the only one, without limit. `db` has to
 * read at one instant.
 */
export async function observeGuardrails(
  db: Db,
  campaign: CampaignRow,
  now: number,
): Promise<GuardrailReading[]> {
  const { id, projectId, goalId: under, channel } = campaign;
  const goal = under === null ? null : await findGoal(db, projectId, under);
  if (under === null || goal === null) return [];
  const read = readGuardrails(goal.guardrails);
  if ("fault" in read) return [{ key: read.fault.guardrail, limit: null, observed: null }];
  const { limits } = read;
  const variants = await listVariants(db, projectId, id);
  const hasRates = RATE_GUARDRAILS.some((rate) => limits[rate] !== undefined);
  const converting = limits.minConversionRate === undefined ? null : goal;
  const cleared = hasRates ? await lastCleared(db, projectId, id) : null;
  const counts = hasRates ? await countCampaign(db, campaign, converting, { cleared, now }) : null;

  const observed = async (key: Guardrail): Promise<number | null> => {
    if (isRateGuardrail(key)) {
      const { all, successes } = counts === null ? { all: 0, successes: 0 } : guardrailShare(key, counts);
      return all === 0 ? null : successes / all;
    }
    switch (key) {
      case "maxActiveCampaigns": {
        const isActive = campaign.status === "running" && placeInWindow(campaign, now) !== "over";
        const others = await countActive(db, projectId, { goalId: under, except: id, now });
        return others + Number(isActive);
      }
      case "forbiddenPhrases":
        return (
          (await findPhrase(messageKindOf(campaign), variants, limits.forbiddenPhrases ?? []))?.texts ?? 0
        );
      case "allowedHosts":
        return (await findForbiddenHost(channel, variants, limits))?.links ?? 0;
      case "minControlShare":
        return controlShare(variants);
      case "quietUntil":
        return Math.max(now, campaign.deliverFrom ?? now);
      case "errorBudget":
        return null;
    }
  };

  const readings: GuardrailReading[] = [];
  for (const key of GUARDRAILS) {
    const limit = limits[key];
    if (limit === undefined) continue;
    readings.push({ key, limit: typeof limit === "number" ? limit : 0, observed: await observed(key) });
  }
  return readings;
}
