import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { Goal } from "./schema.ts";
import { findGoal } from "./store.ts";

export const getGoal = endpoint(
  {
    id: "getGoal",
    method: "GET",
    path: "/api/v1/goals/{id}",
    tag: "Goals",
    summary: "Read a goal",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: {},
    params: z.object({ id: pathIds.goal }),
    result: z.object({ goal: Goal.describe("The goal.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const uuid = uuidOf("goal", params.id);
    const goal = uuid === null ? null : await findGoal(ctx.db, ctx.projectId, uuid);
    if (goal === null) throw new ApiError("not_found", "Goal not found");
    return { goal };
  },
);
