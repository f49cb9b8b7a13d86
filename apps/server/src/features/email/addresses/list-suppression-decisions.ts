import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs, queryInt } from "../../../platform/http/contract/fields.ts";
import { listSuppressionChanges } from "./decide-store.ts";

export const listSuppressionDecisions = endpoint(
  {
    id: "listSuppressionDecisions",
    method: "GET",
    path: "/api/people/email/suppressions/decisions",
    tag: "Email",
    summary: "List what people decided about addresses, newest first",
    keys: [],
    people: "viewer",
    query: z.object({ limit: queryInt(1, 100, 20).describe("How many to answer at most.") }),
    result: z.object({
      decisions: z
        .array(
          z.object({
            address: z.string().max(320).nullable().describe("Null where its user was erased."),
            before: z.string().max(20).nullable().describe("Why it got no mail before; null where it did."),
            after: z.string().max(20).nullable().describe("Why it got no mail after; null where it did."),
            by: z.string().max(256),
            at: epochMs,
          }),
        )
        .max(100),
    }),
  },
  async ({ db, projectId }, { query: { limit } }) => ({
    decisions: await listSuppressionChanges(db, projectId, limit),
  }),
);
