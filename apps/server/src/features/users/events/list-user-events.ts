import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { requireUser } from "../profiles/public.ts";
import { listEvents } from "./list-store.ts";
import { Event } from "./schema.ts";

export const listUserEvents = endpoint(
  {
    id: "listUserEvents",
    method: "GET",
    path: "/api/v1/users/{id}/events",
    tag: "Users",
    summary: "List what a user did, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: "list_events answers it, for one user too.",
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.user }),
    query: z.object(pageQuery()),
    result: z.object({ events: z.array(Event).max(100).describe("The events."), ...pageFields }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const user = await requireUser(ctx, params.id);
    const { events, total } = await listEvents(
      ctx.db,
      ctx.projectId,
      { users: [user] },
      { after: null, ...pageWindow(query), isUpToDate: true },
    );
    return { events, ...pageAnswer(query, total) };
  },
);
