import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { allActs } from "./acts.ts";

const Kind = z.object({
  name: text(64).describe("What such changes are about."),
  operations: z
    .array(
      z.object({
        id: text(64).describe("Id of the operation, as entries have it."),
        did: text(200).describe("What a person did by it, after their name."),
      }),
    )
    .max(1_000)
    .describe("What counts as such a change."),
});

export const listAuditKinds = endpoint(
  {
    id: "listAuditKinds",
    method: "GET",
    path: "/api/people/audit/kinds",
    tag: "Audit",
    summary: "List the kinds of changes that entries can tell of",
    keys: [],
    people: "viewer",
    scope: "either",
    result: z.object({ kinds: z.array(Kind).max(100).describe("By what they are about.") }),
  },
  async ({ app }) => {
    const byTag = Map.groupBy(allActs(app), ({ tag }) => tag);
    const kinds = [...byTag].map(([name, acts]) => ({
      name,
      operations: acts.map(({ operation: id, did }) => ({ id, did })),
    }));
    return { kinds: kinds.sort((one, other) => (one.name < other.name ? -1 : 1)) };
  },
);
