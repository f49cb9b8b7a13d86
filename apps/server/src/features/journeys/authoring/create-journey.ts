import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint, KIB, makerOf } from "../../../platform/http/contract/endpoint.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { resolveGoal, warningsOfKinds, withWarnings } from "../../campaigns/authoring/public.ts";
import { definitionOf } from "./definition.ts";
import { triggersOf } from "./rules.ts";
import { CreateJourneyBody, type Definition, Journey } from "./schema.ts";
import { messagesOfSteps } from "./step-messages.ts";
import { findJourney, insertJourney, insertJourneyVersion, updateJourneyRow } from "./store.ts";
import { viewJourney } from "./view.ts";

export const createJourney = endpoint(
  {
    id: "createJourney",
    method: "POST",
    path: "/api/v1/journeys",
    audit: "made a journey",
    tag: "Journeys",
    summary: "Create a journey as a draft",
    description:
      "A journey is a list of steps that users go through, forwards alone. Each step that sends has a campaign of its own, with variants, figures and a test like any other.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Launching it is a change of its own.",
    budget: "campaigns",
    tool: "What users go through is for people to decide.",
    bodyLimit: 256 * KIB,
    body: CreateJourneyBody,
    example: {
      name: "Trial",
      entry: { on: "event", event: "trial_started" },
      exit: { onGoal: true, events: [{ event: "subscribed" }] },
      steps: [
        {
          id: "welcome",
          kind: "send",
          channel: "email",
          message: { subject: "Welcome", body: "Here is how to begin." },
        },
        { id: "pause", kind: "wait", for: { amount: 3, unit: "days" } },
        {
          id: "reminder",
          kind: "send",
          channel: "email",
          message: { subject: "How is it going?", body: "Your trial goes on for some days." },
        },
      ],
    },
    status: 201,
    result: z.object({ journey: Journey.describe("The journey."), ...withWarnings }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now } = ctx;
    const id = newUuid(now);
    const goalId = await resolveGoal(ctx, body.goalId);
    const made = { createdBy: makerOf(ctx), createdAt: now };
    // The campaigns of its steps name the journey, so it is there before them.
    const empty = { entry: { on: "request" as const }, audience: null, again: null, steps: [] };
    const draft: Definition = { ...empty, exit: { onGoal: false, events: [] } };
    await insertJourney(db, projectId, {
      id,
      name: body.name,
      goalId,
      ...triggersOf(draft),
      definition: draft,
      ...made,
    });
    const owner = { journeyId: id, goalId: body.goalId, campaigns: new Map<string, string>() };
    const definition = await definitionOf(ctx, owner, draft, body);
    await updateJourneyRow(db, projectId, id, {
      definition,
      ...triggersOf(definition),
      updatedAt: now,
    });
    await insertJourneyVersion(db, projectId, { journeyId: id, version: 1, definition, ...made });
    const row = await findJourney(db, projectId, id);
    if (row === null) throw new Error("The journey that was just made is not there.");
    ctx.describe({ target: apiId("jrn", id), after: { name: body.name, steps: definition.steps.length } });
    const warned = await warningsOfKinds(ctx, messagesOfSteps(body.steps, ["steps"]));
    return { journey: await viewJourney(db, projectId, row), ...warned };
  },
);
