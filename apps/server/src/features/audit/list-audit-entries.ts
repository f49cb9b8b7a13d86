import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { queryInt } from "../../platform/http/contract/fields.ts";
import { allActs, targetsIn } from "./acts.ts";
import { entryFor, filterFields, filterOf } from "./filter.ts";
import { namedIn } from "./named.pure.ts";
import { AuditEntry, NamedThing } from "./schema.ts";
import { findNames, listEntries } from "./store.ts";

export const listAuditEntries = endpoint(
  {
    id: "listAuditEntries",
    method: "GET",
    path: "/api/people/audit",
    tag: "Audit",
    summary: "List what people changed, newest first",
    description:
      "Addresses of people are for owners: the others read null as the target of what is about people.",
    keys: [],
    people: "viewer",
    scope: "either",
    query: z.object({
      ...filterFields,
      limit: queryInt(1, 100, 50).describe("How many entries at most."),
    }),
    result: z.object({
      entries: z.array(AuditEntry).max(100),
      named: z
        .array(NamedThing)
        .max(10_000)
        .describe("What the entries name and is there still, as it is called now."),
      next: z.int().nullable().describe("The `before` of the next page; null at the end."),
    }),
  },
  async (ctx, { query: { before, limit, ...narrowed } }) => {
    const { organizationId, filter } = filterOf(ctx, narrowed);
    // One more than are shown tells whether there is a next page.
    const rows = await listEntries(ctx.db, organizationId, filter, { before, limit: limit + 1 });
    const entries = rows.slice(0, limit).map(entryFor(ctx));
    const projectIds = [...new Set(entries.flatMap(({ projectId }) => projectId ?? []))];
    // Asked of what the reader may see: what is hidden from them has no name here either.
    const named = await findNames(
      ctx.db,
      organizationId,
      projectIds,
      namedIn(entries, targetsIn(allActs(ctx.app))),
    );
    return { entries, named, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
  },
);
