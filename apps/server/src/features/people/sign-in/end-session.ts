import { z } from "zod";
import { accountOf, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { deleteSession } from "./session-store.ts";

export const endSession = endpoint(
  {
    id: "endSession",
    method: "DELETE",
    path: "/api/people/sessions/{sessionId}",
    audit: "signed out elsewhere",
    tag: "People",
    summary: "Sign out somewhere else",
    description:
      "The browser with that session changes nothing from then on, and reads nothing after 5 seconds.",
    keys: [],
    people: "any",
    scope: "organization",
    errors: ["not_found"],
    params: z.object({ sessionId: z.uuid().describe("Id of the session.") }),
  },
  async (ctx, { params: { sessionId } }) => {
    if (!(await deleteSession(ctx.db, accountOf(ctx).id, sessionId)))
      throw new ApiError("not_found", "Session not found");
  },
);
