import { z } from "zod";
import { answerIds, eventName, pathIds } from "../../../domain/fields.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { findGoal } from "../../campaigns/goals/public.ts";
import { Holdout } from "../../statistics/schema.ts";
import { attributionDaysOf, readHoldout } from "./statistics.ts";

export const getGoalConversions = endpoint(
  {
    id: "getGoalConversions",
    method: "GET",
    path: "/api/v1/goals/{id}/conversions",
    tag: "Goals",
    summary: "Compare the users whom a goal's messages reached with those who were held out",
    description:
      "Counts each user once, from the first message of the goal's campaigns that was queued for them, or withheld from them. Exact at `evaluatedAt`, for any event name.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: {},
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.goal }),
    query: z.object({ event: eventName.optional().describe("The goal's own event where it is left out.") }),
    result: z.object({
      goalId: answerIds.goal,
      event: z.string().max(80).meta({ description: "Name of the event.", example: "upgraded" }),
      evaluatedAt: epochMs,
      attributionDays: z.int().describe("How many days after the first contact a conversion counts."),
      maturedUntil: epochMs,
      isGoalEvent: z.boolean().describe("Whether the event is the one that the goal counts."),
      holdout: Holdout.describe("Who was served beside who was held out."),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId, now: evaluatedAt }, { params, query }) => {
    const uuid = uuidOf("goal", params.id);
    const goal = uuid === null ? null : await findGoal(db, projectId, uuid);
    if (goal === null) throw new ApiError("not_found", "Goal not found");
    const event = query.event ?? goal.targetEvent;
    if (event === null)
      throw new ApiError("invalid_request", "event: is required, because the goal has no targetEvent");
    const attributionDays = attributionDaysOf(goal);
    return {
      goalId: goal.id,
      event,
      evaluatedAt,
      attributionDays,
      maturedUntil: evaluatedAt - attributionDays * DAY_MS,
      isGoalEvent: event === goal.targetEvent,
      holdout: await readHoldout(db, projectId, goal, { event, evaluatedAt, campaignId: null }),
    };
  },
);
