import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { filterOf } from "./filter.ts";
import { listAuthors } from "./store.ts";

const Author = z.object({
  id: text(128).describe("Id of the person."),
  name: text(256).describe("The name that they had when they last changed something."),
});

export const listAuditAuthors = endpoint(
  {
    id: "listAuditAuthors",
    method: "GET",
    path: "/api/people/audit/authors",
    tag: "Audit",
    summary: "List the people who changed something",
    keys: [],
    people: "viewer",
    scope: "either",
    cost: "heavy",
    result: z.object({
      authors: z.array(Author).max(100_000).describe("By name, also those who are gone."),
    }),
  },
  async (ctx) => {
    const { organizationId, filter } = filterOf(ctx, {});
    return { authors: await listAuthors(ctx.db, organizationId, filter) };
  },
);
