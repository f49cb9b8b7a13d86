import { isDeepStrictEqual } from "node:util";
import { counted } from "@tidings/client/text";
import { apiId } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import type { App } from "../../platform/runtime.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { isListed } from "../access/perimeter/hosts.pure.ts";
import {
  type FoundHost,
  type FoundPhrase,
  findCampaign,
  findForbiddenHost,
  findPhrase,
  listVariants,
  pauseRunning,
} from "../campaigns/authoring/public.ts";
import { messageKindOf } from "../campaigns/authoring/rules.ts";
import { readEachGuardrail } from "../campaigns/goals/guardrails.pure.ts";
import { findGoal } from "../campaigns/goals/public.ts";
import {
  breakOf,
  type CampaignCounts,
  guardrailShare,
  RATE_GUARDRAILS,
} from "../campaigns/goals/rates.pure.ts";
import { attributionDaysOf } from "../deliveries/public.ts";
import { logRun } from "../runs/public.ts";
import { announce } from "../webhooks/public.ts";
import { countCampaign } from "./counts.ts";
import {
  type Clearing,
  dateClearingsBackAcrossProjects,
  findWatchedAcrossProjects,
  insertBreach,
  lastCleared,
} from "./store.ts";

type Which = { projectId: string; campaignId: string };

/** What is counted of a campaign's conversions: which event, how long after the exposure, and from which clearing on. */
type Question = { event: string | null; days: number; clearedAt: number | null };

/** What was seen of a campaign, and what was asked. */
type Seen = {
  question: Question;
  counts: CampaignCounts;
  phrase: FoundPhrase | null;
  host: FoundHost | null;
};

type Breach = {
  guardrail: string;
  limit: number;
  observed: number;
  e: number | null;
  counts: Record<string, unknown>;
  rationale: string;
};

/** The campaign if it runs, its goal and the limits of now; null where there is nothing to watch. */
async function readWatched(db: Db, { projectId, campaignId }: Which, lock: boolean) {
  const campaign = await findCampaign(db, projectId, campaignId, lock ? "for update" : "read");
  if (campaign?.status !== "running" || campaign.goalId === null) return null;
  const goal = await findGoal(db, projectId, campaign.goalId, lock ? "lock" : "read");
  if (goal === null) return null;
  // A limit that cannot be read refuses launches, and pauses nothing that runs already; the other limits go on nevertheless.
  return { campaign, goal, limits: readEachGuardrail(goal.guardrails).limits };
}

type Watched = NonNullable<Awaited<ReturnType<typeof readWatched>>>;

const questionOf = ({ goal }: Watched, cleared: Clearing | null): Question => ({
  event: goal.targetEvent,
  days: attributionDaysOf(goal),
  clearedAt: cleared?.at ?? null,
});

/** The first guardrail that what was seen breaks. */
function breachOf({ limits }: Watched, { counts, phrase, host }: Seen): Breach | null {
  if (phrase !== null && limits.forbiddenPhrases?.includes(phrase.phrase)) {
    return {
      guardrail: "forbiddenPhrases",
      limit: 0,
      observed: phrase.texts,
      e: null,
      counts: { field: phrase.field, phrase: phrase.phrase },
      rationale: `Paused: ${phrase.field} contains "${phrase.phrase}", which the goal forbids.`,
    };
  }
  if (host !== null && limits.allowedHosts !== undefined && !isListed(limits.allowedHosts, host.host)) {
    return {
      guardrail: "allowedHosts",
      limit: 0,
      observed: host.links,
      e: null,
      counts: { field: host.field, host: host.host },
      rationale: `Paused: ${host.field} links to ${host.host}, which the goal does not allow.`,
    };
  }
  for (const guardrail of RATE_GUARDRAILS) {
    const limit = limits[guardrail];
    if (limit === undefined) continue;
    const share = guardrailShare(guardrail, counts);
    const broken = breakOf(guardrail, limit, share);
    if (broken === null) continue;
    const { observed, lower, upper, e } = broken;
    const between = `${lower.toPrecision(3)} and ${upper.toPrecision(3)}`;
    return {
      guardrail,
      limit,
      observed,
      e,
      counts: share,
      rationale: `Paused: the goal's ${guardrail} is ${limit}, and of ${counted(share.all, "user")} ${counted(share.successes, "counts", "count")}, so the rate lies between ${between}.`,
    };
  }
  return null;
}

async function look(db: Db, which: Which, now: number): Promise<Seen | null> {
  const watched = await readWatched(db, which, false);
  if (watched === null) return null;
  const { campaign, goal, limits } = watched;
  const cleared = await lastCleared(db, which.projectId, which.campaignId);
  const converting = limits.minConversionRate === undefined ? null : goal;
  const counts = await countCampaign(db, campaign, converting, { cleared, now });
  const variants = await listVariants(db, which.projectId, which.campaignId);
  const phrase = await findPhrase(messageKindOf(campaign), variants, limits.forbiddenPhrases ?? []);
  const host = await findForbiddenHost(campaign.channel, variants, limits);
  const seen = { question: questionOf(watched, cleared), counts, phrase, host };
  return breachOf(watched, seen) === null ? null : seen;
}

/** Pauses a campaign that breaks a limit still, now that it is locked. */
async function stop(tx: Db, { projectId, campaignId }: Which, seen: Seen, now: number): Promise<void> {
  const watched = await readWatched(tx, { projectId, campaignId }, true);
  if (watched === null) return;
  // What was counted meanwhile for another question says nothing; the next turn asks this one.
  const question = questionOf(watched, await lastCleared(tx, projectId, campaignId));
  if (!isDeepStrictEqual(question, seen.question)) return;
  const breach = breachOf(watched, seen);
  if (breach === null) return;
  const within = { db: tx, projectId, now };
  const { guardrail, limit, observed, e, counts, rationale } = breach;
  // The run comes before the pause: every writer locks the head of the chain before the project.
  const runId = await logRun(within, {
    kind: "guardrail",
    goalId: watched.campaign.goalId,
    campaignId,
    rationale,
    input: { guardrail, limit, observed, e, counts },
    output: { action: "pause" },
  });
  if (!(await pauseRunning(within, campaignId, { by: "guardrail", runId: apiId("run", runId), guardrail })))
    throw new Error("A campaign that is locked was not paused.");
  const row = { runId, campaignId, guardrail, limitValue: limit, observed, e, breachedAt: now };
  await insertBreach(tx, projectId, { ...row, counts: JSON.stringify(counts) });
  const data = { guardrail, limit, observed, runId: apiId("run", runId), text: rationale };
  const object = campaignId;
  await announce(tx, projectId, { type: "guardrail.breached", object, campaignId, at: now, data });
}

/** Counting takes long, so it is done before the campaign is locked. */
async function watchCampaign({ database: { kysely }, clock }: App, which: Which): Promise<void> {
  const now = clock();
  const seen = await atOneInstant(kysely, (tx) => look(tx, which, now));
  if (seen !== null) await kysely.transaction().execute((tx) => stop(tx, which, seen, now));
}

/** Pauses running campaigns that break a limit of their goal. */
export const watchGuardrails = aloneLoop({
  name: "watch guardrails",
  everyMs: 30 * SECOND_MS,
  async turn(app, signal) {
    await dateClearingsBackAcrossProjects(app.database.kysely, app.clock());
    const names = [...RATE_GUARDRAILS, "forbiddenPhrases", "allowedHosts"];
    for (const which of await findWatchedAcrossProjects(app.database.kysely, names, app.clock())) {
      if (signal.aborted) return;
      try {
        await watchCampaign(app, which);
      } catch (cause) {
        // One campaign that cannot be counted must not keep the others from being watched.
        app.log.error(
          { err: cause, campaignId: apiId("cmp", which.campaignId) },
          "guardrails were not looked at",
        );
      }
    }
  },
});
