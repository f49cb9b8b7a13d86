import { uuidFor } from "../../../domain/ids.ts";
import { HOUR_MS } from "../../../platform/clock.ts";
import { decide, planEvaluation, type Verdict } from "../../agent/evaluations/public.ts";
import { lookAfter } from "../../agent/runner/public.ts";
import { campaignUuid } from "./customers.ts";
import type { House } from "./house.ts";
import type { CampaignName } from "./shop.pure.ts";

/** When the agent looks, and at what: day of the month, and hours after its beginning. */
export const LOOKS: readonly { day: number; hours: number; campaigns: readonly CampaignName[] }[] = [
  { day: 12, hours: 3, campaigns: ["breakfast"] },
  { day: 15, hours: 3, campaigns: ["breakfast"] },
  { day: 22, hours: 3, campaigns: ["breakfast"] },
  { day: 26, hours: 3, campaigns: ["subscribe"] },
  { day: 27, hours: 3, campaigns: ["subscribe", "giftCards"] },
  { day: 28, hours: 3, campaigns: ["subscribe", "giftCards"] },
  { day: 29, hours: 21, campaigns: ["breakfast", "subscribe", "giftCards"] },
];

/** People look at proposals after lunch. */
const DECIDED_AFTER_MS = 4 * HOUR_MS;
const TOO_EARLY: Verdict = {
  status: "rejected",
  by: "demo",
  reason: "Let us wait for a few more orders.",
  forGood: false,
  hashPrefix: null,
};

/**
 * Has the agent look at campaigns at the instant of the house. What it proposes before `isLast`, a person rejects: too early. What it
 * proposes then waits for people.
 */
export async function look(house: House, ids: readonly string[], isLast: boolean): Promise<void> {
  const { app, api, projectId, send } = house;
  const { kysely } = app.database;
  const at = app.clock();
  for (const id of ids) await planEvaluation(kysely, projectId, campaignUuid(id), at, at);
  await lookAfter(app, projectId, { send });
  if (isLast) return;
  const { proposals } = await api.listProposals({ query: { status: "pending" } });
  const decidedAt = at + DECIDED_AFTER_MS;
  for (const { id } of proposals)
    await kysely.transaction().execute(async (tx) => {
      const decided = await decide({ db: tx, projectId, now: decidedAt }, uuidFor("prop", id), TOO_EARLY);
      if ("refusal" in decided) throw new Error(decided.refusal.message);
    });
}
