import { z } from "zod";
import { userRef } from "../../domain/ids.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { type EventProgress, type ListedEvent, nextEvents } from "./events-store.ts";
import { type Column, fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { since, until } from "./schema.ts";
import { walk } from "./walk.ts";

export const EVENT_COLUMNS: readonly Column<ListedEvent>[] = [
  ["id", ({ id }) => id],
  ["ts", ({ ts }) => ts, "instant"],
  ["name", ({ name }) => name],
  ["endUserId", ({ endUserId }) => endUserId],
  ["externalUserId", ({ externalUserId }) => externalUserId],
  ["props", ({ props }) => props, "json"],
  ["eventId", ({ eventId }) => eventId],
];

export const eventExtract = list(
  {
    name: "events",
    id: "extractEvents",
    audit: "took out a list of events",
    summary: "Take out what users did as a file",
    description:
      "Oldest first. `since` and `until` include their instant; to go on where a file was cut off, give the instant of its last row as `since`: rows of that instant come again, with the same id. What was deleted for its age is not there any more.",
    query: z.object({
      since,
      until,
      name: text(80, 0).optional().describe("Only events of this name."),
      q: text(200, 0).optional().describe("Only events that have this in their name."),
      externalUserId: text(256, 0)
        .optional()
        .describe("Only events of the user with this id in your product."),
    }),
  },
  async ({ db, projectId, now }, { since: first, until: last, name, q, externalUserId }, format) => {
    const chosen = {
      since: first,
      until: Math.min(last ?? now, now),
      name,
      q,
      users: externalUserId === undefined ? [] : [userRef(projectId, externalUserId)],
    };
    return fileLines(
      format,
      EVENT_COLUMNS,
      walk((progress: EventProgress | null) => nextEvents(db, projectId, chosen, progress)),
    );
  },
);
