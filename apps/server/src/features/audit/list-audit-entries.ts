import { z } from "zod";
import { endpoint, personOf } from "../../platform/http/endpoint.ts";
import { queryInt, text } from "../../platform/http/fields.ts";
import { NO_PROJECT } from "../../platform/http/person.ts";
import { AuditEntry } from "./schema.ts";
import { type EntryRow, listEntries } from "./store.ts";

/** Larger than any id for a long time, and what a query can say. */
const LAST = 999_999_999;

const toEntry = ({ byKind, byId, byName, detail, ...row }: EntryRow) => ({
  ...row,
  by: { kind: byKind as "human" | "command", id: byId, name: byName },
  fields: [...(detail.fields ?? [])],
  before: detail.before ?? null,
  after: detail.after ?? null,
});

export const listAuditEntries = endpoint(
  {
    id: "listAuditEntries",
    method: "GET",
    path: "/api/people/audit",
    tag: "Audit",
    summary: "List what people changed, newest first",
    keys: [],
    people: "viewer",
    scope: "either",
    query: z.object({
      before: queryInt(1, LAST, LAST).describe("Only entries with a smaller id."),
      personId: text(36).optional().describe("Only what this person changed."),
      limit: queryInt(1, 100, 50).describe("How many entries at most."),
    }),
    result: z.object({
      entries: z.array(AuditEntry).max(100),
      next: z.int().nullable().describe("The `before` of the next page; null at the end."),
    }),
  },
  async (ctx, { query: { before, personId, limit } }) => {
    const projectId = ctx.projectId === NO_PROJECT ? null : ctx.projectId;
    const filter = { projectId, personId };
    // One more than are shown tells whether there is a next page.
    const rows = await listEntries(ctx.db, personOf(ctx).organizationId, filter, {
      before,
      limit: limit + 1,
    });
    const entries = rows.slice(0, limit).map(toEntry);
    return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
  },
);
