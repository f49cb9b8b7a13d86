import { apiId, uuidOf } from "../../domain/ids.ts";
import { DAY_MS } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { type CampaignRow, listVariants } from "../campaigns/authoring/public.ts";
import { findGoal } from "../campaigns/goals/public.ts";
import type { Goal } from "../campaigns/goals/schema.ts";
import { holdoutOf, isSplitBroken, judgedOf, statisticsOf } from "../statistics/public.ts";
import type { Holdout, Statistics } from "../statistics/schema.ts";
import { countContacts, countExposed, countSplit, hasWithheld, readAllocations } from "./statistics-store.ts";

/** Without a goal a conversion counts for a week. */
const DEFAULT_ATTRIBUTION_DAYS = 7;
/** The smallest lift that matters, where the goal does not name one. */
const DEFAULT_MINIMUM_LIFT = 0.05;

/** How long after its exposure a user's conversion counts for a goal, in days. */
export const attributionDaysOf = (goal: Goal | null): number =>
  goal?.attributionDays ?? DEFAULT_ATTRIBUTION_DAYS;

/** The guardrail `minimumLift` of a goal, a fraction. Guardrails are free, so what is no fraction is not taken. */
function minimumLiftOf(goal: Goal | null): number {
  const { minimumLift } = goal?.guardrails ?? {};
  const isFraction = typeof minimumLift === "number" && minimumLift > 0 && minimumLift < 1;
  return isFraction ? minimumLift : DEFAULT_MINIMUM_LIFT;
}

/** What is counted, and when. `evaluatedAt` is epoch milliseconds. */
type Question = { event: string; evaluatedAt: number };

/**
 * What a goal's messages did together, and who was held out. With `campaignId` (UUID), of users whose first contact was that campaign.
 * `db` has to read at one instant.
 */
export async function readHoldout(
  db: Db,
  projectId: string,
  goal: Goal,
  { event, evaluatedAt, campaignId }: Question & { campaignId: string | null },
): Promise<Holdout> {
  const goalId = uuidOf("goal", goal.id) ?? "";
  const outcome = { event, evaluatedAt, attributionMs: attributionDaysOf(goal) * DAY_MS };
  const contacts = await countContacts(db, projectId, { goalId, campaignId }, outcome);
  return holdoutOf({ contacts, percent: goal.holdoutPercent, minimumLift: minimumLiftOf(goal) });
}

/**
 * Matured exposures of a campaign, and how many of them converted for its goal; with `exposedAfter` (epoch ms), of those that came after
 * that instant. `db` has to read at one instant.
 */
export async function countMatured(
  db: Db,
  { id, projectId }: CampaignRow,
  goal: Goal,
  { evaluatedAt, exposedAfter }: { evaluatedAt: number; exposedAfter: number | null },
): Promise<{ exposed: number; converted: number }> {
  const counts = { exposed: 0, converted: 0 };
  if (goal.targetEvent === null) return counts;
  const attributionMs = attributionDaysOf(goal) * DAY_MS;
  const outcome = { event: goal.targetEvent, evaluatedAt, attributionMs };
  const cells = await countExposed(db, projectId, id, outcome, exposedAfter);
  for (const { day, exposed, converted } of cells) {
    if (day === null) continue;
    counts.exposed += exposed;
    counts.converted += converted;
  }
  return counts;
}

/** Whether a campaign's users are split otherwise than its weights say. Counts all its deliveries. `db` has to read at one instant. */
export async function hasBrokenSplit(db: Db, projectId: string, campaignId: string): Promise<boolean> {
  const variants = await listVariants(db, projectId, campaignId);
  return isSplitBroken({
    variants: variants.map(({ id, isControl, weight }) => ({
      variantId: apiId("var", id),
      ...{ isControl, weight },
    })),
    allocations: await readAllocations(db, projectId, campaignId),
    cells: await countSplit(db, projectId, campaignId),
  });
}

/** The variants of a campaign (UUID), what they had in its epochs, and who was exposed to them with which outcome. */
async function readCounts(
  db: Db,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  { event, evaluatedAt, attributionDays }: Question & { attributionDays: number },
) {
  const variants = await listVariants(db, projectId, campaignId);
  const outcome = { event, evaluatedAt, attributionMs: attributionDays * DAY_MS };
  return {
    variants: variants.map(({ id, isControl, weight }) => ({
      variantId: apiId("var", id),
      ...{ isControl, weight },
    })),
    allocations: await readAllocations(db, projectId, campaignId),
    cells: await countExposed(db, projectId, campaignId, outcome),
  };
}

/** What may be claimed about a campaign, for one event name. `db` has to read at one instant. */
export async function readStatistics(
  db: Db,
  campaign: CampaignRow,
  { event, evaluatedAt, wantsSeries }: Question & { wantsSeries: boolean },
): Promise<Statistics> {
  const { id: campaignId, projectId } = campaign;
  const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
  const attributionDays = attributionDaysOf(goal);
  const counts = await readCounts(db, { projectId, campaignId }, { event, evaluatedAt, attributionDays });
  const hasHoldout =
    goal !== null && (goal.holdoutPercent > 0 || (await hasWithheld(db, projectId, campaign.goalId ?? "")));
  return statisticsOf({
    ...counts,
    evaluatedAt,
    attributionDays,
    isGoalEvent: goal !== null && goal.targetEvent === event,
    minimumLift: minimumLiftOf(goal),
    holdout: hasHoldout ? await readHoldout(db, projectId, goal, { event, evaluatedAt, campaignId }) : null,
    wantsSeries,
  });
}

/** What verdicts about a campaign are judged by, for one event name. `db` has to read at one instant. */
export const readJudged = async (
  db: Db,
  { id: campaignId, projectId }: CampaignRow,
  question: Question & { attributionDays: number },
): Promise<ReturnType<typeof judgedOf>> =>
  judgedOf(await readCounts(db, { projectId, campaignId }, question));
