import { z } from "zod";
import { answerIds, pathIds } from "../../../../domain/fields.ts";
import { apiId, uuidOf } from "../../../../domain/ids.ts";
import { type Ctx, endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { count, epochMs } from "../../../../platform/http/contract/fields.ts";
import { countActive, listUnderGoal } from "../../../campaigns/authoring/public.ts";
import { effectiveStatus } from "../../../campaigns/authoring/rules.ts";
import { EffectiveStatus } from "../../../campaigns/authoring/schema.ts";
import { type Guardrails, readGuardrails } from "../../../campaigns/goals/guardrails.pure.ts";
import { findGoal } from "../../../campaigns/goals/public.ts";
import { listBreachesOfGoal, observeGuardrails } from "../../../guardrails/public.ts";
import { alphaOf } from "../rules.ts";
import { readVerdictCounts } from "../verdicts/verdict-store.ts";

const MAX_CAMPAIGNS = 20;
const MAX_BREACHES = 50;
/** No campaign has this id, so that all of them are counted. */
const NO_CAMPAIGN = "00000000-0000-0000-0000-000000000000";
/** Guardrails about single campaigns. The others are about the goal as a whole. */
const OF_CAMPAIGNS: readonly string[] = [
  "forbiddenPhrases",
  "allowedHosts",
  "maxUnsubscribeRate",
  "maxComplaintRate",
  "minConversionRate",
  "minControlShare",
] satisfies (keyof Guardrails)[];

const id = z.string().max(128);
const key = z.string().max(64);
const name = z.string().max(80);

const GoalLimits = z
  .object({
    goalId: answerIds.goal,
    evaluatedAt: epochMs,
    fault: z
      .object({ guardrail: key, message: z.string().max(500).describe("What is wrong with it.") })
      .nullable()
      .describe("The guardrail that cannot be read, so that nothing is launched; null where all can."),
    activeCampaigns: count.describe("Campaigns of the goal that run, or are scheduled."),
    errorBudget: z
      .object({
        limit: z.number().describe("Which share of the verdicts may be false."),
        treatments: count.describe(
          "Texts, compared with the control, that have a place in the goal's order of verdicts.",
        ),
        verdicts: count.describe("Verdicts of agents so far."),
        nextEvidence: z.number().describe("How large the e-value of the next text has to be for a verdict."),
      })
      .nullable()
      .describe("Null where the goal bounds no false verdicts."),
    campaigns: z
      .array(
        z.object({
          id: id.describe("Id of the campaign."),
          name: name.describe("What people call it."),
          status: EffectiveStatus.describe("Its state."),
          readings: z
            .array(
              z.object({
                guardrail: key,
                limit: z.number().describe("What the goal allows."),
                observed: z.number().nullable().describe("Null where there is nothing to count yet."),
              }),
            )
            .max(20),
        }),
      )
      .max(MAX_CAMPAIGNS)
      .describe("The newest campaigns that run or are paused, with what their guardrails observe."),
    watched: count.describe("How many campaigns run or are paused."),
    breaches: z
      .array(
        z.object({
          runId: id.describe("The run that records the pause."),
          campaignId: answerIds.campaign,
          campaignName: name.describe("Its name."),
          guardrail: key,
          limit: z.number().describe("What the goal allows."),
          observed: z.number(),
          rationale: z.string().max(4_000).nullable().describe("Why the campaign was paused, in words."),
          at: epochMs,
          cleared: z
            .object({
              at: epochMs,
              by: z.string().max(256),
              reason: z.string().max(4_000).describe("Why, for people who read it later."),
            })
            .nullable()
            .describe("Who allowed the campaign to go on, and why; null while it may not."),
        }),
      )
      .max(MAX_BREACHES)
      .describe("Campaigns that were paused for going beyond a limit, newest first."),
  })
  .meta({ id: "GoalLimits" });

/** What the goal's error budget leaves to the next treatment; null without one. */
async function readBudget({ db, projectId }: Ctx, goalUuid: string, { errorBudget }: Guardrails) {
  if (errorBudget === undefined) return null;
  const { last, verdicts } = await readVerdictCounts(db, projectId, goalUuid);
  const nextEvidence = 1 / alphaOf(errorBudget, last + 1, verdicts);
  return { limit: errorBudget, treatments: last, verdicts, nextEvidence };
}

/** What the guardrails of the goal's campaigns observe, campaign by campaign. */
async function readCampaigns({ db, projectId, now }: Ctx, goalUuid: string) {
  const { rows, total } = await listUnderGoal(db, projectId, { goalId: goalUuid, now }, MAX_CAMPAIGNS);
  const campaigns = [];
  for (const row of rows) {
    const readings = await observeGuardrails(db, row, now);
    campaigns.push({
      id: apiId("cmp", row.id),
      name: row.name,
      status: effectiveStatus(row.status, row, now),
      readings: readings.flatMap(({ key: guardrail, limit, observed }) =>
        limit !== null && OF_CAMPAIGNS.includes(guardrail) ? [{ guardrail, limit, observed }] : [],
      ),
    });
  }
  return { campaigns, watched: total };
}

async function readBreaches({ db, projectId }: Ctx, goalUuid: string) {
  const rows = await listBreachesOfGoal(db, projectId, goalUuid, MAX_BREACHES);
  return rows.map(
    ({ runId, campaignId, campaignName, guardrail, limitValue, observed, rationale, ...row }) => ({
      runId: apiId("run", runId),
      campaignId: apiId("cmp", campaignId),
      campaignName,
      guardrail,
      limit: limitValue,
      observed,
      rationale,
      at: row.breachedAt,
      cleared:
        row.clearedAt === null
          ? null
          : { at: row.clearedAt, by: row.clearedBy ?? "", reason: row.clearReason ?? "" },
    }),
  );
}

export const getGoalLimits = endpoint(
  {
    id: "getGoalLimits",
    method: "GET",
    path: "/api/people/goals/{id}/limits",
    tag: "Goals",
    summary: "See what the guardrails of a goal observe, what broke them, and what its error budget leaves",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: pathIds.goal }),
    result: GoalLimits,
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { db, projectId, now } = ctx;
    const uuid = uuidOf("goal", params.id);
    const goal = uuid === null ? null : await findGoal(db, projectId, uuid);
    if (uuid === null || goal === null) throw new ApiError("not_found", "Goal not found");
    const read = readGuardrails(goal.guardrails);
    const limits = "limits" in read ? read.limits : {};
    return {
      goalId: goal.id,
      evaluatedAt: now,
      fault: "fault" in read ? read.fault : null,
      activeCampaigns: await countActive(db, projectId, { goalId: uuid, except: NO_CAMPAIGN, now }),
      errorBudget: await readBudget(ctx, uuid, limits),
      ...(await readCampaigns(ctx, uuid)),
      breaches: await readBreaches(ctx, uuid),
    };
  },
);
