import { z } from "zod";
import { apiId } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count } from "../../../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { effectiveStatus } from "../../../campaigns/authoring/rules.ts";
import { readSafety } from "../limits/safety.ts";
import { type DueCampaign, DueStatus, DueCampaign as shape } from "../schema.ts";
import { type DueRow, listDue, readGranted } from "../store.ts";

const MAX_DUE = 100;

const toDue = (row: DueRow, now: number): DueCampaign => ({
  campaignId: apiId("cmp", row.campaignId),
  name: row.name,
  goalId: apiId("goal", row.goalId),
  effectiveStatus: DueStatus.parse(effectiveStatus(row.status, row, now)),
  nextEvaluationAt: row.evaluationAt,
  decidedContinuation: row.isContinuation,
});

export const listDueEvaluations = endpoint(
  {
    id: "listDueEvaluations",
    method: "GET",
    path: "/api/v1/evaluations/due",
    tag: "Agent",
    summary: "List the campaigns that an agent may evaluate now, longest due first",
    description:
      "Empty while the loop is paused. Once the day's budget is spent, only those about which people have decided stay.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "agent",
    tool: "An agent does this under its lease, in a loop of its own.",
    oneInstant: true,
    query: z.object({
      drafts: z
        .enum(["true", "false"])
        .default("true")
        .describe("`false` leaves drafts out, for agents that launch nothing."),
    }),
    result: z.object({
      campaigns: z.array(shape).max(MAX_DUE).describe("The campaigns."),
      loopPaused: z.boolean().describe("Whether people have paused the loop."),
      runsUsedToday: count.describe("Evaluations of this UTC day that were paid for."),
      maxRunsPerDay: count.describe("How many there may be."),
    }),
  },
  async ({ db, projectId, now }, { query }) => {
    const { loopPaused, maxRunsPerDay } = await readSafety(db, projectId);
    const runsUsedToday = await readGranted(db, projectId, Math.floor(now / DAY_MS));
    const onlyContinuations = runsUsedToday >= maxRunsPerDay;
    const wanted = { now, onlyContinuations, withDrafts: query.drafts === "true", limit: MAX_DUE };
    const due = loopPaused ? [] : await listDue(db, projectId, wanted);
    return { campaigns: due.map((row) => toDue(row, now)), loopPaused, runsUsedToday, maxRunsPerDay };
  },
);
