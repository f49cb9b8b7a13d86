import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { Goal, GoalStatus } from "./schema.ts";
import { listGoals as selectGoals } from "./store.ts";

export const listGoals = endpoint(
  {
    id: "listGoals",
    method: "GET",
    path: "/api/v1/goals",
    tag: "Goals",
    summary: "List goals, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: {},
    query: z.object({ status: GoalStatus.optional().describe("Only goals in this state.") }),
    result: z.object({ goals: z.array(Goal).max(100).describe("The goals.") }),
  },
  async (ctx, { query }) => ({ goals: await selectGoals(ctx.db, ctx.projectId, query.status ?? null) }),
);
