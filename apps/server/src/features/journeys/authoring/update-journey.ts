import { z } from "zod";
import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { warningsOfKinds, withWarnings } from "../../campaigns/authoring/public.ts";
import { CHANGE_REASONS, changeJourney, journeyRefusalFields } from "./change-journey.ts";
import { requireJourney } from "./require-journey.ts";
import { Journey, journeyInPath, UpdateJourneyBody } from "./schema.ts";
import { messagesOfSteps } from "./step-messages.ts";
import { viewJourney } from "./view.ts";

export const updateJourney = endpoint(
  {
    id: "updateJourney",
    method: "PATCH",
    path: "/api/v1/journeys/{id}",
    audit: "changed a journey",
    tag: "Journeys",
    summary: "Change a journey, also while users are in it",
    description:
      "Any subset of the fields; `steps` are given whole, and a step that keeps its id keeps its campaign. Users go on by the newest version at their next move.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "What users go through is for people to decide.",
    bodyLimit: 256 * KIB,
    params: z.object({ id: journeyInPath }),
    body: UpdateJourneyBody,
    example: { name: "Trial of two weeks" },
    result: z.object({ journey: Journey.describe("The journey."), ...withWarnings }),
    errors: ["not_found", "conflict"],
    reasons: [...CHANGE_REASONS],
    refusalFields: journeyRefusalFields,
  },
  async (ctx, { params, body }) => {
    const before = await requireJourney(ctx, params.id, "for update");
    const version = await changeJourney(ctx, before, body);
    ctx.describe({
      before: { name: before.name, version: before.version },
      after: { name: body.name ?? before.name, version },
    });
    const after = await requireJourney(ctx, params.id);
    const warned = await warningsOfKinds(ctx, messagesOfSteps(body.steps ?? [], ["steps"]));
    return { journey: await viewJourney(ctx.db, ctx.projectId, after), ...warned };
  },
);
