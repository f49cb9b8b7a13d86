import { z } from "zod";
import { uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { patch, pathId } from "../../../platform/http/fields.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import { campaignsOfGoal } from "./campaigns-of-goal.ts";
import { changeOf } from "./rules.ts";
import { Goal, GoalStatus, goalFields } from "./schema.ts";
import { findGoal, updateGoal as updateGoalRow } from "./store.ts";

export const updateGoal = endpoint(
  {
    id: "updateGoal",
    method: "PATCH",
    path: "/api/v1/goals/{id}",
    tag: "Goals",
    summary: "Change or archive a goal",
    description:
      "Any subset of the fields. An explicit null clears `description`, `targetEvent` or `guardrails`. Another `holdoutPercent` holds for what is decided from now on; deliveries that exist stay.",
    keys: ["secret"],
    people: "editor",
    budget: "goals",
    params: z.object({ id: pathId }),
    body: patch({ ...goalFields, status: GoalStatus }),
    example: { name: "Upgrades to pro", description: null },
    result: z.object({ goal: Goal }),
    errors: ["not_found"],
  },
  async (ctx, { params, body }) => {
    const uuid = uuidOf("goal", params.id);
    if (uuid === null) throw new ApiError("not_found", "Goal not found");
    const campaigns = body.holdoutPercent === undefined ? null : ctx.app.ask(campaignsOfGoal);
    await campaigns?.lock(ctx, uuid);
    const before = await findGoal(ctx.db, ctx.projectId, uuid, "lock");
    const goal = await updateGoalRow(ctx.db, ctx.projectId, uuid, body);
    if (before === null || goal === null) throw new ApiError("not_found", "Goal not found");
    ctx.describe(changeOf(before, goal) ?? {});
    await campaigns?.follow(ctx, uuid);
    await raiseConfigVersion(ctx.db, ctx.projectId);
    return { goal };
  },
);
