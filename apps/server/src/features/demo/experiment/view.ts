import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { atOneInstant } from "../../../platform/db/transactions/at-one-instant.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { findCampaign, listVariants } from "../../campaigns/authoring/public.ts";
import { readStatistics } from "../../deliveries/public.ts";
import { listRuns } from "../../runs/public.ts";
import type { AgentRun } from "../../runs/schema.ts";
import { PURCHASE } from "../names.pure.ts";
import type { DemoShop } from "../store.ts";
import type { Experiment } from "./experiment-store.ts";
import { openExperiment } from "./open-experiment.ts";
import { daysPlayed } from "./play.ts";
import { STORY_DAYS } from "./story.pure.ts";
import { describeStatistics, type NamedVariant, nameVariants } from "./words.pure.ts";

/** A day has an evaluation, and at most one refusal; the last ones may be looks of another process. */
const MOST_RUNS = 40;

/**
 * A run of the agent as the page lists it. `day` counts from 1, null for a look that no day of the story made; `action` is `tried` where what
 * was decided was refused.
 */
type ShownRun = { id: string; day: number | null; action: string; words: string };

/** Everything that the page shows. Weights are per cent, `saw` and `ordered` count users. */
export type ExperimentStory = {
  campaignId: string;
  status: string;
  days: number;
  played: number;
  isOver: boolean;
  says: string;
  variants: (NamedVariant & { title: string; body: string; button: string; saw: number; ordered: number })[];
  runs: ShownRun[];
};

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The evaluations and refusals of the experiment, newest first. */
async function readRuns(
  db: Db,
  shop: DemoShop & Experiment,
  variants: readonly NamedVariant[],
): Promise<ShownRun[]> {
  const kinds = ["evaluate", "refused"];
  const found: { at: number; rank: number; run: AgentRun; action: string }[] = [];
  for (const [rank, kind] of kinds.entries()) {
    const filter = { kind, goalId: undefined, campaignId: shop.campaignId };
    const { runs } = await listRuns(db, shop.projectId, filter, { offset: 0, limit: MOST_RUNS });
    for (const run of runs) {
      const input = fieldsOf(run.input);
      const { evaluationAt } = { ...input, ...fieldsOf(input.snapshot) } as Fields;
      const action = kind === "refused" ? kind : textOf(fieldsOf(fieldsOf(run.output).decision).action);
      found.push({ at: typeof evaluationAt === "number" ? evaluationAt : run.createdAt, rank, run, action });
    }
  }
  const refusedAt = new Set(found.filter(({ action }) => action === "refused").map(({ at }) => at));
  return found
    .toSorted((a, b) => b.at - a.at || b.rank - a.rank)
    .map(({ at, run: { id, rationale }, action }): ShownRun => {
      const day = (at - shop.began) / DAY_MS;
      return {
        id,
        day: Number.isInteger(day) && day <= STORY_DAYS ? day : null,
        action: action !== "refused" && refusedAt.has(at) ? "tried" : action,
        words: nameVariants(rationale ?? "", variants),
      };
    });
}

async function readStory(
  db: Db,
  shop: DemoShop & Experiment,
  evaluatedAt: number,
): Promise<Omit<ExperimentStory, "played" | "isOver">> {
  const { projectId, campaignId } = shop;
  const campaign = await findCampaign(db, projectId, campaignId);
  if (campaign === null) throw new Error("The experiment has no campaign.");
  const rows = await listVariants(db, projectId, campaignId);
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const statistics = await readStatistics(db, campaign, { event: PURCHASE, evaluatedAt, wantsSeries: false });
  const variants = rows.map(({ id, name, isControl, weight, content }) => {
    const { title, body, cta } = fieldsOf(content);
    const counted = statistics.variants.find(({ variantId }) => variantId === apiId("var", id));
    return {
      id: apiId("var", id),
      name,
      isControl,
      weight: Math.round((100 * weight) / total),
      title: textOf(title),
      body: textOf(body),
      button: textOf(fieldsOf(cta).label),
      saw: (counted?.matured.exposedUsers ?? 0) + (counted?.pending.exposedUsers ?? 0),
      ordered: (counted?.matured.convertedUsers ?? 0) + (counted?.pending.convertedUsers ?? 0),
    };
  });
  return {
    campaignId: apiId("cmp", campaignId),
    status: campaign.status,
    days: STORY_DAYS,
    says: describeStatistics(statistics, variants),
    variants,
    runs: await readRuns(db, shop, variants),
  };
}

/** What the page of the experiment shows now. */
export async function tellStory(app: App): Promise<ExperimentStory> {
  const shop = await openExperiment(app);
  const played = await daysPlayed(app, shop);
  const story = await atOneInstant(app.database.kysely, (tx) => readStory(tx, shop, app.clock()));
  return { ...story, played, isOver: played >= STORY_DAYS };
}
