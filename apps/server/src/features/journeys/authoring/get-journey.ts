import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireJourney } from "./require-journey.ts";
import { Journey, journeyInPath } from "./schema.ts";
import { viewJourney } from "./view.ts";

export const getJourney = endpoint(
  {
    id: "getJourney",
    method: "GET",
    path: "/api/v1/journeys/{id}",
    tag: "Journeys",
    summary: "Read a journey",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "List journeys answers each of them whole.",
    params: z.object({ id: journeyInPath }),
    result: z.object({ journey: Journey.describe("The journey.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => ({
    journey: await viewJourney(ctx.db, ctx.projectId, await requireJourney(ctx, params.id)),
  }),
);
