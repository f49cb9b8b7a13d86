import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { patch } from "../../../platform/http/contract/fields.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import { assertMayReachUsers, roleOf } from "../../people/public.ts";
import { campaignsOfGoal } from "./campaigns-of-goal.ts";
import { loosens } from "./loosens.pure.ts";
import { goalDifference } from "./rules.ts";
import { expectedRevision, Goal, GoalStatus, goalFields, MAX_REVISION } from "./schema.ts";
import { findGoal, updateGoal as updateGoalRow } from "./store.ts";

/**
 * Refuses a change whose author has not seen the goal as it is. Needs the transaction that locked the goal.
 * @throws ApiError conflict `stale_revision`
 */
function assertRevision({ revision }: Goal, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return;
  throw new ApiError(
    "conflict",
    "expectedRevision is stale: the goal has changed since. Read it again, and change it once more.",
    { fields: { reason: "stale_revision", revision } },
  );
}

export const updateGoal = endpoint(
  {
    id: "updateGoal",
    method: "PATCH",
    path: "/api/v1/goals/{id}",
    audit: "changed a goal",
    tag: "Goals",
    summary: "Change or archive a goal",
    description:
      "Any subset of the fields. An explicit null clears `description`, `targetEvent` or `guardrails`. With `expectedRevision`, it is refused where somebody else has changed the goal since. Another `holdoutPercent` holds for what is decided from now on; deliveries that exist stay.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "goals",
    tool: { isDestructive: true },
    params: z.object({ id: pathIds.goal }),
    body: patch({ ...goalFields, status: GoalStatus.describe("Its state.") }, { expectedRevision }),
    example: { name: "Upgrades to pro", description: null },
    result: z.object({ goal: Goal.describe("The goal.") }),
    errors: ["not_found", "conflict"],
    reasons: ["stale_revision"],
    refusalFields: {
      revision: {
        type: "integer",
        minimum: 1,
        maximum: MAX_REVISION,
        description: "With `stale_revision`: the revision of the goal now.",
      },
    },
  },
  async (ctx, { params, body: { expectedRevision: expected, ...change } }) => {
    const uuid = uuidOf("goal", params.id);
    if (uuid === null) throw new ApiError("not_found", "Goal not found");
    const campaigns = change.holdoutPercent === undefined ? null : ctx.app.ask(campaignsOfGoal);
    await campaigns?.lock(ctx, uuid);
    const before = await findGoal(ctx.db, ctx.projectId, uuid, "lock");
    if (before !== null) assertRevision(before, expected);
    const goal = await updateGoalRow(ctx.db, ctx.projectId, uuid, change);
    if (before === null || goal === null) throw new ApiError("not_found", "Goal not found");
    if (loosens(before, goal, ctx.now)) await assertMayReachUsers(ctx, roleOf(ctx), "loosen");
    ctx.describe(goalDifference(before, goal) ?? {});
    await campaigns?.follow(ctx, uuid);
    await raiseConfigVersion(ctx.db, ctx.projectId);
    return { goal };
  },
);
