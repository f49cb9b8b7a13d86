import { z } from "zod";
import { storedUserId } from "../../../../domain/fields.ts";
import { userRef } from "../../../../domain/ids.ts";
import { clientOf } from "../../../../platform/db/batch/client-of.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { text } from "../../../../platform/http/contract/fields.ts";
import { requireJourney } from "../../authoring/public.ts";
import { journeyInPath } from "../../authoring/schema.ts";
import { lockInside, moveEntries } from "../entry-store.ts";
import { leavingBy } from "../movements.ts";

export const removeJourneyEntry = endpoint(
  {
    id: "removeJourneyEntry",
    method: "POST",
    path: "/api/v1/journeys/{id}/entries/remove",
    audit: "took a user out of a journey",
    tag: "Journeys",
    summary: "Take a user out of a journey",
    description: "What was sent stays sent; what waits of the journey is withdrawn.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "It takes somebody out.",
    budget: "campaigns",
    tool: "Who goes through a journey is for people and their code to decide.",
    params: z.object({ id: journeyInPath }),
    body: z.object({
      userId: storedUserId.describe("The id of the user in your product."),
      reason: text(500).optional().describe("Why, for people who read it later."),
    }),
    example: { userId: "ada", reason: "Asked us by phone" },
    result: z.object({ removed: z.boolean().describe("Whether they are out since this request.") }),
    errors: ["not_found"],
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    const journey = await requireJourney(ctx, params.id);
    const entry = await lockInside(db, projectId, journey.id, userRef(projectId, body.userId));
    if (entry === null) throw new ApiError("not_found", "This user is not inside the journey");
    const { version } = journey;
    const moved = await moveEntries(clientOf(db), [leavingBy(entry, "removed", { version, now })]);
    const { userId, reason } = body;
    ctx.describe({ target: params.id, after: { userId, ...(reason === undefined ? {} : { reason }) } });
    return { removed: moved.length > 0 };
  },
);
