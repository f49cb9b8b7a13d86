import { z } from "zod";
import { externalUserId } from "../../../../domain/fields.ts";
import { userRef } from "../../../../domain/ids.ts";
import { clientOf } from "../../../../platform/db/batch/client-of.ts";
import { endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { wake } from "../../../../platform/loops/loops.ts";
import { requireJourney } from "../../authoring/public.ts";
import { journeyInPath } from "../../authoring/schema.ts";
import { readDefinition } from "../../authoring/stored.pure.ts";
import { firstPlace } from "../../authoring/walk.pure.ts";
import { insertEntries, isKnown, lockLastEntries } from "../entry-store.ts";
import { newEntry } from "../movements.ts";
import { moveLoop } from "../walking/mover.ts";
import { drawOf } from "./arms.ts";
import { type Barred, barredBy, inLockOrder, readAdmitted } from "./entering.ts";

const MOST = 500;

export const addJourneyEntries = endpoint(
  {
    id: "addJourneyEntries",
    method: "POST",
    path: "/api/v1/journeys/{id}/entries",
    audit: "let users into a journey",
    tag: "Journeys",
    summary: "Let users into a journey by their ids",
    description:
      "Each user is let in or refused by itself, in the order of the request. A repeat finds them inside, and lets nobody in twice.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "Who goes through a journey is for people and their code to decide.",
    bodyLimit: 256 * KIB,
    params: z.object({ id: journeyInPath }),
    body: z.object({
      userIds: z.array(externalUserId).min(1).max(MOST).describe("Ids of users in your product."),
    }),
    example: { userIds: ["ada"] },
    result: z.object({
      results: z
        .array(
          z.object({
            userId: z.string().max(256).describe("The id of the user."),
            entered: z.boolean().describe("Whether they are in since this request."),
            reason: z
              .enum(["inside", "again", "audience", "no_user"])
              .nullable()
              .describe(
                "Why not: they are `inside` already, may not enter `again` (yet), are not in the `audience`, or there is `no_user` of this id.",
              ),
          }),
        )
        .max(MOST)
        .describe("What became of each, in the order of the request."),
    }),
    errors: ["not_found", "conflict"],
    reasons: ["not_running"],
  },
  async (ctx, { params, body }) => {
    const { app, db, projectId, now } = ctx;
    const journey = await requireJourney(ctx, params.id, "for share");
    const definition = readDefinition(journey.definition);
    const first = definition === null ? null : firstPlace(definition, now);
    if (journey.status !== "running" || definition === null || first === null)
      throw new ApiError("conflict", "This journey does not run: launch it first.", {
        fields: { reason: "not_running" },
      });
    const client = clientOf(db);
    const users = new Map(body.userIds.map((userId) => [userId, userRef(projectId, userId)]));
    const refs = inLockOrder([...users.values()]);
    const admitted = await readAdmitted(app.database.kysely, projectId, definition, refs, now);
    const known = await isKnown(db, projectId, refs);
    const draw = await drawOf(client, journey, definition, now);
    const found = await lockLastEntries(
      client,
      refs.map((user) => ({ ...user, projectId, journeyId: journey.id })),
    );
    const last = new Map(found.map((entry) => [entry.userKey, entry]));
    const barred = (userKey: string): Barred | null =>
      !known.has(userKey)
        ? "no_user"
        : (barredBy(definition, last.get(userKey), now) ?? (admitted.has(userKey) ? null : "audience"));
    const entries = refs
      .filter(({ userKey }) => barred(userKey) === null)
      .map((user) => newEntry(journey, user, last.get(user.userKey), first, draw, null));
    const inserted = entries.length === 0 ? [] : await insertEntries(client, entries);
    const entered = new Set(inserted.map(({ userKey }) => userKey));
    wake(app, moveLoop);
    ctx.describe({ target: params.id, after: { entered: entered.size } });
    return {
      results: body.userIds.map((userId) => {
        const { userKey } = users.get(userId) ?? userRef(projectId, userId);
        const isIn = entered.has(userKey);
        return { userId, entered: isIn, reason: isIn ? null : (barred(userKey) ?? "inside") };
      }),
    };
  },
);
