import { z } from "zod";
import { keyRef, userRef, uuidFor } from "../../../domain/ids.ts";
import { atOneInstant } from "../../../platform/db/transactions/at-one-instant.ts";
import { isInstant, isKey } from "../../../platform/http/contract/cursor.pure.ts";
import { cursorFields, cursorOf, cursorQuery, readCursor } from "../../../platform/http/contract/cursor.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { queryInstant, text } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { bringUpToDate } from "../../counting/rollups/public.ts";
import { countedThrough } from "../../counting/rollups/schema.ts";
import { type EventPlace, listEvents as selectEvents } from "./list-store.ts";
import { Event } from "./schema.ts";

const placeOf = ([ts, userKey, eventId]: readonly unknown[]): EventPlace | null =>
  isInstant(ts) && isKey(userKey) && typeof eventId === "string" && !eventId.includes("\0")
    ? { ts, userKey, eventId }
    : null;

export const listEvents = endpoint(
  {
    id: "listEvents",
    method: "GET",
    path: "/api/v1/events",
    tag: "Events",
    summary: "List what users did, newest first",
    description:
      "Filters narrow one another. `name` is the whole name; `q` is part of it, whatever its case, and does not go with `name`. `userId` is the `eu_…` id, `externalUserId` the id in your product. `since` and `until` include their instant.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "events",
    tool: { hides: ["cursor"] },
    oneInstant: "It opens its instant after applying deltas of the rollups.",
    cost: "heavy",
    query: z
      .object({
        name: text(80, 0).optional().describe("Only events of this name."),
        q: text(200, 0).optional().describe("Part of the name, whatever its case. Not together with `name`."),
        userId: text(256, 0).optional().describe("Only events of this user, by `eu_…` id."),
        externalUserId: text(256, 0)
          .optional()
          .describe("Only events of this user, by the id in your product."),
        since: queryInstant.optional(),
        until: queryInstant.optional(),
        ...pageQuery(),
        ...cursorQuery,
      })
      .check((ctx) => {
        const { name, q } = ctx.value;
        if (name === undefined || q === undefined) return;
        const message = "must not be given together with name";
        ctx.issues.push({ code: "custom", message, input: q, path: ["q"] });
      }),
    result: z.object({
      events: z.array(Event).max(100).describe("The events."),
      ...pageFields,
      ...cursorFields,
      ...countedThrough,
    }),
  },
  async ({ app, db, projectId, now }, { query }) => {
    const behind = await bringUpToDate(app, projectId, now);
    const { userId, externalUserId } = query;
    const users = [
      ...(userId === undefined ? [] : [keyRef(uuidFor("eu", userId))]),
      ...(externalUserId === undefined ? [] : [userRef(projectId, externalUserId)]),
    ];
    const filter = { ...query, users };
    const stretch = {
      after: readCursor(query.cursor, placeOf),
      ...pageWindow(query),
      isUpToDate: behind.countedThrough === undefined,
    };
    const { events, total, next } = await atOneInstant(db, (tx) =>
      selectEvents(tx, projectId, filter, stretch),
    );
    return {
      events,
      ...pageAnswer(query, total),
      nextCursor: next === null ? null : cursorOf([next.ts, next.userKey, next.eventId]),
      ...behind,
    };
  },
);
