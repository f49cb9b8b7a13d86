import { type Ctx, personOf } from "../../platform/http/contract/endpoint.ts";
import { queryInt, text } from "../../platform/http/contract/fields.ts";
import { NO_PROJECT, reaches } from "../../platform/http/contract/person.ts";
import { allActs, targetsIn } from "./acts.ts";
import type { EntryFilter, EntryRow } from "./store.ts";

/** Larger than any id for a long time, and what a query can say. */
export const LAST = 999_999_999;

/** What narrows a list of entries, in a query. */
export const filterFields = {
  before: queryInt(1, LAST, LAST).describe("Only entries with a smaller id."),
  personId: text(36).optional().describe("Only what this person changed."),
  operations: text(4_000)
    .optional()
    .transform((typed) => typed?.split(","))
    .describe("Only changes by these operations: their ids, with commas between.")
    .meta({ type: "string", maxLength: 4_000 }),
};

/** The entries that a request is about: those of its project, or of the whole organization. */
export const filterOf = (
  ctx: Ctx,
  { personId, operations }: Pick<EntryFilter, "personId" | "operations">,
): { organizationId: string; filter: EntryFilter } => ({
  organizationId: personOf(ctx).organizationId,
  filter: { projectId: ctx.projectId === NO_PROJECT ? null : ctx.projectId, personId, operations },
});

/**
 * An entry as a reader may see it: who is here, and who was invited, is for owners to read, so that others read no addresses of people.
 */
export function entryFor(ctx: Ctx): (row: EntryRow) => ReturnType<typeof toEntry> {
  if (reaches(personOf(ctx).role, "owner")) return toEntry;
  const targetOf = targetsIn(allActs(ctx.app));
  return (row) => toEntry(targetOf(row.operation) === "person" ? withoutAddresses(row) : row);
}

function withoutAddresses(row: EntryRow): EntryRow {
  const { before: _before, ...detail } = row.detail;
  return { ...row, target: null, detail: row.operation === "removePerson" ? detail : row.detail };
}

export const toEntry = ({ byKind, byId, byName, detail, ...row }: EntryRow) => ({
  ...row,
  by: { kind: byKind as "human" | "command", id: byId, name: byName },
  fields: [...(detail.fields ?? [])],
  before: detail.before ?? null,
  after: detail.after ?? null,
});
