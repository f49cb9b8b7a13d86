import { apiId, uuidOf } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { type CampaignRow, listVariants } from "../../campaigns/authoring/public.ts";
import { findGoal } from "../../campaigns/goals/public.ts";
import type { Goal } from "../../campaigns/goals/schema.ts";
import {
  type CampaignVariants,
  earlierTextsOf,
  holdoutOf,
  isSplitBroken,
  judgedOf,
  restartsOf,
  statisticsOf,
} from "../../statistics/public.ts";
import type { EarlierText, Holdout, MergedUnits, Restart, Statistics } from "../../statistics/schema.ts";
import { countLeftUnits, countWithheld } from "./left-store.ts";
import { countContacts, countExposed, countSplit, hasWithheld, readAllocations } from "./statistics-store.ts";

/** Without a goal a conversion counts for a week. */
const DEFAULT_ATTRIBUTION_DAYS = 7;
/** The smallest lift that matters, where the goal does not name one. */
const DEFAULT_MINIMUM_LIFT = 0.05;

/** How long after its exposure a user's conversion counts for a goal, in days. */
export const attributionDaysOf = (goal: Goal | null): number =>
  goal?.attributionDays ?? DEFAULT_ATTRIBUTION_DAYS;

/** The guardrail `minimumLift` of a goal, a fraction. Guardrails are free, so what is no fraction is not taken. */
export function minimumLiftOf(goal: Goal | null): number {
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
      isControl,
      weight,
    })),
    allocations: await readAllocations(db, projectId, campaignId),
    cells: await countSplit(db, projectId, campaignId),
  });
}

/** The variants of a campaign (UUID), and what they had in its epochs. `db` has to read at one instant, or with the campaign locked. */
export async function readSetting(db: Db, projectId: string, campaignId: string): Promise<CampaignVariants> {
  const variants = await listVariants(db, projectId, campaignId);
  return {
    variants: variants.map(({ id, isControl, weight }) => ({
      variantId: apiId("var", id),
      isControl,
      weight,
    })),
    allocations: await readAllocations(db, projectId, campaignId),
  };
}

/** The setting of a campaign (UUID), and who was exposed to its variants with which outcome. */
async function readCounts(
  db: Db,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  { event, evaluatedAt, attributionDays }: Question & { attributionDays: number },
) {
  const outcome = { event, evaluatedAt, attributionMs: attributionDays * DAY_MS };
  return {
    ...(await readSetting(db, projectId, campaignId)),
    cells: await countExposed(db, projectId, campaignId, outcome),
  };
}

const NONE_MERGED: MergedUnits = { units: 0, share: 0 };

/** What visitors left of a campaign, of which so many users were exposed. */
async function readMerged(
  db: Db,
  { id, projectId }: CampaignRow,
  { exposed, evaluatedAt }: { exposed: number; evaluatedAt: number },
): Promise<MergedUnits> {
  const units = await countLeftUnits(db, projectId, id, evaluatedAt);
  if (units === 0) return NONE_MERGED;
  const withheld = await countWithheld(db, projectId, id, evaluatedAt);
  return { units, share: units / (exposed + withheld) };
}

/** What may be claimed about a campaign, for one event name, and for who asks what had come of its former texts. `db` has to read at one instant. */
export async function readMeasured(
  db: Db,
  campaign: CampaignRow,
  { event, evaluatedAt, wantsSeries }: Question & { wantsSeries: boolean },
): Promise<{ statistics: Statistics; earlier: () => EarlierText[] }> {
  const { id: campaignId, projectId } = campaign;
  const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
  const attributionDays = attributionDaysOf(goal);
  const counts = await readCounts(db, { projectId, campaignId }, { event, evaluatedAt, attributionDays });
  const hasHoldout =
    goal !== null && (goal.holdoutPercent > 0 || (await hasWithheld(db, projectId, campaign.goalId ?? "")));
  const minimumLift = minimumLiftOf(goal);
  const statistics = statisticsOf({
    ...counts,
    evaluatedAt,
    attributionDays,
    minimumLift,
    isGoalEvent: goal !== null && goal.targetEvent === event,
    holdout: hasHoldout ? await readHoldout(db, projectId, goal, { event, evaluatedAt, campaignId }) : null,
    merged: await readMerged(db, campaign, {
      exposed: counts.cells.reduce((sum, { exposed }) => sum + exposed, 0),
      evaluatedAt,
    }),
    wantsSeries,
  });
  return { statistics, earlier: () => earlierTextsOf({ ...counts, minimumLift }) };
}

/** What may be claimed about a campaign, for one event name. `db` has to read at one instant. */
export const readStatistics = async (
  db: Db,
  campaign: CampaignRow,
  question: Question & { wantsSeries: boolean },
): Promise<Statistics> => (await readMeasured(db, campaign, question)).statistics;

/**
 * For which variants of a campaign counting would begin anew by a change, and what would count no more. `before` and `after` are its
 * settings without and with the change. `db` has to read at one instant.
 */
export async function readRestarts(
  db: Db,
  { id, projectId, goalId }: CampaignRow,
  { before, after, evaluatedAt }: { before: CampaignVariants; after: CampaignVariants; evaluatedAt: number },
): Promise<Restart[]> {
  const restarts = restartsOf(before, after);
  if (restarts.length === 0) return [];
  const goal = goalId === null ? null : await findGoal(db, projectId, goalId);
  const attributionDays = attributionDaysOf(goal);
  // A campaign that counts no event has users, and none who converted.
  const outcome = { event: goal?.targetEvent ?? "", evaluatedAt, attributionMs: attributionDays * DAY_MS };
  const cells = await countExposed(db, projectId, id, outcome);
  const { variants, sampleRatio } = statisticsOf({
    ...before,
    cells,
    evaluatedAt,
    attributionDays,
    minimumLift: minimumLiftOf(goal),
    isGoalEvent: true,
    holdout: null,
    merged: NONE_MERGED,
    wantsSeries: false,
  });
  return restarts.flatMap(({ variantId, because, epochs }): Restart[] => {
    const lost = cells.filter((cell) => cell.variantId === variantId && epochs.includes(cell.epoch));
    const exposedUsers = lost.reduce((sum, { exposed }) => sum + exposed, 0);
    const convertedUsers = lost.reduce((sum, { converted }) => sum + converted, 0);
    const comparison = variants.find((variant) => variant.variantId === variantId)?.comparison ?? null;
    const verdict = sampleRatio.mismatch ? null : (comparison?.verdict ?? null);
    const since = before.allocations
      .filter(({ epoch }) => epochs.length === 0 || epochs.includes(epoch))
      .reduce((least, { startedAt }) => Math.min(least, startedAt), evaluatedAt);
    const saysNothing = verdict === null || verdict === "undecided";
    if (exposedUsers === 0 && saysNothing) return [];
    return [{ variantId, because, exposedUsers, convertedUsers, verdict, since }];
  });
}

/** What verdicts about a campaign are judged by, for one event name. `db` has to read at one instant. */
export const readJudged = async (
  db: Db,
  { id: campaignId, projectId }: CampaignRow,
  question: Question & { attributionDays: number },
): Promise<ReturnType<typeof judgedOf>> =>
  judgedOf(await readCounts(db, { projectId, campaignId }, question));
