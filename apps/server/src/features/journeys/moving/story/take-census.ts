import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../../../platform/http/contract/fields.ts";
import { requireJourney } from "../../authoring/public.ts";
import { journeyInPath } from "../../authoring/schema.ts";
import { MAX_STEPS } from "../../authoring/steps.pure.ts";
import { countDue } from "./list-store.ts";

export const takeJourneyCensus = endpoint(
  {
    id: "takeJourneyCensus",
    method: "POST",
    path: "/api/v1/journeys/{id}/census",
    tag: "Journeys",
    summary: "Count the users whom launching a paused journey moves at once",
    description:
      "Time goes on during a pause: whose wait is over by now goes on as soon as the journey does, and may get a message. It changes nothing.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "What users go through is for people to decide, and when.",
    oneInstant: true,
    cost: "heavy",
    isRead: true,
    params: z.object({ id: journeyInPath }),
    result: z.object({
      evaluatedAt: epochMs,
      due: count.describe("Users who go on at once."),
      steps: z
        .array(
          z.object({
            stepId: z.string().max(32).describe("Id of the step."),
            due: count.describe("Those who are there."),
          }),
        )
        .max(MAX_STEPS)
        .describe("Where they are: steps at which somebody is due."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { db, projectId, now } = ctx;
    const journey = await requireJourney(ctx, params.id);
    const found = await countDue(db, projectId, journey.id, now);
    return {
      evaluatedAt: now,
      due: found.reduce((sum, { due }) => sum + due, 0),
      steps: found.slice(0, MAX_STEPS),
    };
  },
);
