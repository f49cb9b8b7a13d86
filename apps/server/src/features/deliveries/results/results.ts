import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { sumStats } from "../../campaigns/authoring/public.ts";
import type { CampaignResults, Results } from "../schema.ts";
import {
  type Counting,
  countConverted,
  countConvertedByDay,
  countReachedByDay,
  countReturned,
  listCounting,
  listVariantsOf,
} from "./results-store.ts";
import type { ConversionCriteria } from "./statistics-store.ts";

type Question = { campaignIds: string[]; outcome: ConversionCriteria };

/** What is asked at an instant (epoch ms): one question for all campaigns that count the same event within the same window. */
function questionsOf(counting: readonly Counting[], evaluatedAt: number): Question[] {
  const questions = new Map<string, Question>();
  for (const { campaignId, event, attributionDays } of counting) {
    const key = `${attributionDays} ${event}`;
    const outcome = { event, evaluatedAt, attributionMs: attributionDays * DAY_MS };
    const question = questions.get(key) ?? { campaignIds: [], outcome };
    question.campaignIds.push(campaignId);
    questions.set(key, question);
  }
  return [...questions.values()];
}

const NONE: Results = {
  sent: 0,
  delivered: 0,
  bounced: 0,
  shown: 0,
  opened: 0,
  clicked: 0,
  dismissed: 0,
  complained: 0,
  unsubscribed: 0,
  frequencyCapped: 0,
  converted: null,
};

/** The sum of results, of which all or none count conversions. */
function sumOf(parts: readonly Results[]): Results {
  const sum = { ...NONE };
  for (const part of parts)
    for (const name of Object.keys(NONE) as (keyof Results)[])
      if (part[name] !== null) sum[name] = (sum[name] ?? 0) + part[name];
  return sum;
}

/**
 * What campaigns (UUIDs) came to, as people count it, in the order of the ids; without those that the project does not have.
 * `db` has to read at one instant.
 */
export async function readResults(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
  evaluatedAt: number,
): Promise<CampaignResults[]> {
  const variants = await listVariantsOf(db, projectId, campaignIds);
  const stats = new Map((await sumStats(db, projectId, campaignIds)).map((each) => [each.variantId, each]));
  const returned = new Map(
    (await countReturned(db, projectId, campaignIds)).map((each) => [each.variantId, each]),
  );
  const counting = await listCounting(db, projectId, campaignIds);
  const goals = new Map(counting.map((each) => [each.campaignId, each]));
  const converted = new Map<string, number>();
  for (const { campaignIds: ids, outcome } of questionsOf(counting, evaluatedAt))
    for (const [variantId, users] of await countConverted(db, projectId, ids, outcome))
      converted.set(variantId, users);
  const resultsOf = ({ id, campaignId }: { id: string; campaignId: string }): Results => {
    const {
      campaignId: _,
      variantId: __,
      ...counted
    } = stats.get(id) ?? { ...NONE, campaignId, variantId: id };
    const back = returned.get(id) ?? { all: 0, sent: 0, delivered: 0 };
    return {
      ...counted,
      sent: counted.sent + back.all - back.sent,
      delivered: counted.delivered - back.delivered,
      converted: goals.has(campaignId) ? (converted.get(id) ?? 0) : null,
    };
  };
  const byCampaign = Map.groupBy(variants, ({ campaignId }) => campaignId);
  return campaignIds.flatMap((id) => {
    const own = byCampaign.get(id);
    if (own === undefined) return [];
    const parts = own.map((variant) => ({ variantId: apiId("var", variant.id), ...resultsOf(variant) }));
    const { event = null, attributionDays = null } = goals.get(id) ?? {};
    return [{ campaignId: apiId("cmp", id), event, attributionDays, totals: sumOf(parts), variants: parts }];
  });
}

/**
 * Messages that were met, and users who converted, over all campaigns of a project, by UTC day (days since 1970) from the day `since` on.
 * `db` has to read at one instant.
 */
export async function readResultDays(
  db: Db,
  projectId: string,
  { since, evaluatedAt }: { since: number; evaluatedAt: number },
): Promise<{ reached: Map<number, number>; converted: Map<number, number> }> {
  const converted = new Map<number, number>();
  const counting = await listCounting(db, projectId, null);
  for (const { campaignIds, outcome } of questionsOf(counting, evaluatedAt))
    for (const { day, users } of await countConvertedByDay(db, projectId, campaignIds, { ...outcome, since }))
      converted.set(day, (converted.get(day) ?? 0) + users);
  const reached = await countReachedByDay(db, projectId, { since, evaluatedAt });
  return { reached: new Map(reached.map(({ day, messages }) => [day, messages])), converted };
}
