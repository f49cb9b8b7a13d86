import { z } from "zod";
import { answerIds } from "../../../../domain/fields.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { requireJourney } from "../../authoring/public.ts";
import { journeyInPath } from "../../authoring/schema.ts";
import { LeftBy } from "../left-by.pure.ts";
import { entryArm } from "../results/schema.ts";
import { listEntryRows } from "./list-store.ts";

export const listJourneyEntries = endpoint(
  {
    id: "listJourneyEntries",
    method: "GET",
    path: "/api/v1/journeys/{id}/entries",
    tag: "Journeys",
    summary: "List who is in a journey, and who was, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "It names users one by one; the results count them.",
    oneInstant: true,
    params: z.object({ id: journeyInPath }),
    query: z.object({
      state: z.enum(["inside", "left"]).optional().describe("Only those who are inside, or have left."),
      stepId: z.string().max(32).optional().describe("Only those who are at this step, or left from it."),
      ...pageQuery(100),
    }),
    result: z.object({
      entries: z
        .array(
          z.object({
            externalUserId: answerIds.externalUser,
            occasion: z.int().min(0).describe("Which time it is that the user entered, from 0 on."),
            stepId: z.string().max(32).describe("The step where they are, or from which they left."),
            enteredAt: epochMs,
            arrivedAt: epochMs.describe("Since when they are there."),
            dueAt: epochMs.nullable().describe("When they are looked at next; null once they have left."),
            leftAt: epochMs.nullable().describe("When they left; null while they are inside."),
            leftBy: LeftBy.nullable(),
            arm: entryArm,
          }),
        )
        .max(100)
        .describe("The entries."),
      ...pageFields,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const { db, projectId } = ctx;
    const journey = await requireJourney(ctx, params.id);
    const filter = { state: query.state ?? null, stepId: query.stepId ?? null };
    const { entries, total } = await listEntryRows(db, projectId, journey.id, filter, pageWindow(query));
    return { entries, ...pageAnswer(query, total) };
  },
);
