import { z } from "zod";
import { accountOf, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs, text } from "../../../platform/http/contract/fields.ts";
import { listSessions as selectSessions } from "./session-store.ts";

const Session = z.object({
  id: text(36).describe("Id of the session."),
  createdAt: epochMs.describe("When the person signed in, in epoch milliseconds."),
  lastSeenAt: epochMs.describe("When it was last prolonged, in epoch milliseconds: once a day."),
  expiresAt: epochMs.describe("When it ends without another visit, in epoch milliseconds."),
  browser: text(500).nullable().describe("What the browser calls itself."),
  isThis: z.boolean().describe("Whether it is the one that asks."),
});

export const listSessions = endpoint(
  {
    id: "listSessions",
    method: "GET",
    path: "/api/people/sessions",
    tag: "People",
    summary: "List where one is signed in",
    keys: [],
    people: "any",
    scope: "organization",
    result: z.object({ sessions: z.array(Session).max(100).describe("Last seen first.") }),
  },
  async (ctx) => {
    const { id, sessionId } = accountOf(ctx);
    const sessions = await selectSessions(ctx.db, id, ctx.now);
    return { sessions: sessions.map((session) => ({ ...session, isThis: session.id === sessionId })) };
  },
);
