import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { assertMayReachUsers, roleOf } from "../../people/public.ts";
import { loosens, NO_TERMS } from "./loosens.pure.ts";
import { brieflyOf } from "./rules.ts";
import { Goal, goalFields } from "./schema.ts";
import { insertGoal } from "./store.ts";

const { name, description, targetEvent, guardrails, approvalMode, attributionDays, holdoutPercent } =
  goalFields;

export const createGoal = endpoint(
  {
    id: "createGoal",
    method: "POST",
    path: "/api/v1/goals",
    audit: "made a goal",
    tag: "Goals",
    summary: "Create a goal",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "goals",
    tool: {},
    body: z.object({
      name: name,
      description: description.optional(),
      targetEvent: targetEvent.optional(),
      guardrails: guardrails.optional(),
      approvalMode: approvalMode.default("require_human"),
      attributionDays: attributionDays.default(7),
      holdoutPercent: holdoutPercent.default(0),
    }),
    example: { name: "Upgrades", targetEvent: "upgraded", approvalMode: "auto" },
    status: 201,
    result: z.object({ goal: Goal.describe("The goal.") }),
  },
  async (ctx, { body }) => {
    const goal = await insertGoal(ctx.db, ctx.projectId, {
      id: newUuid(ctx.now),
      name: body.name,
      description: body.description ?? null,
      targetEvent: body.targetEvent ?? null,
      guardrails: body.guardrails ?? null,
      approvalMode: body.approvalMode,
      attributionDays: body.attributionDays,
      holdoutPercent: body.holdoutPercent,
      createdAt: ctx.now,
    });
    if (loosens(NO_TERMS, goal, ctx.now)) await assertMayReachUsers(ctx, roleOf(ctx), "loosen");
    ctx.describe({ after: brieflyOf(goal) });
    return { goal };
  },
);
