import { z } from "zod";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../platform/http/contract/page.ts";
import { AgentRun, RunReferences, RunWriter } from "./schema.ts";
import { listRuns } from "./store.ts";

export const listAgentRuns = endpoint(
  {
    id: "listAgentRuns",
    method: "GET",
    path: "/api/v1/agent-runs",
    tag: "Agent runs",
    summary: "List the decisions of agents, newest first",
    description:
      "`include=names` adds the names of the goals and campaigns that the answered runs are linked to.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "runs",
    tool: {},
    oneInstant: true,
    query: z.object({
      kind: text(200, 0).optional().describe("Only runs of this kind."),
      writtenBy: RunWriter.optional().describe("Only runs that this one wrote."),
      goalId: text(200, 0).optional().describe("Only runs for this goal."),
      campaignId: text(200, 0).optional().describe("Only runs about this campaign."),
      include: z.literal("names").optional().describe("Adds the names of what is referred to."),
      ...pageQuery(),
    }),
    result: z.object({
      runs: z.array(AgentRun).max(100).describe("The runs."),
      ...pageFields,
      references: RunReferences.optional().describe("Names behind ids, with `include=names`."),
    }),
  },
  async (ctx, { query }) => {
    const { kind, writtenBy, goalId, campaignId, include } = query;
    const filter = {
      kind,
      writtenBy,
      goalId: goalId === undefined ? undefined : uuidFor("goal", goalId),
      campaignId: campaignId === undefined ? undefined : uuidFor("cmp", campaignId),
    };
    const { runs, references, total } = await listRuns(ctx.db, ctx.projectId, filter, pageWindow(query));
    return { runs, ...pageAnswer(query, total), ...(include === undefined ? {} : { references }) };
  },
);
