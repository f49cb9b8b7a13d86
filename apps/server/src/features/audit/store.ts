import { sql } from "kysely";
import { laneOf } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { AuditDetail, AuditedChange } from "../../platform/http/audit.ts";
import type { NamedIds } from "./named.pure.ts";
import type { NamedThing } from "./schema.ts";

export async function insertEntry(db: Db, { by, detail, ...entry }: AuditedChange): Promise<void> {
  await db
    .insertInto("auditEntries")
    .values({
      ...entry,
      byKind: by.kind,
      byId: by.id,
      byName: by.name,
      detail: JSON.stringify(detail),
    })
    .execute();
}

/** Which entries of an organization are meant: of one project, of one person, of some operations. */
export type EntryFilter = {
  projectId: string | null;
  personId?: string | undefined;
  operations?: readonly string[] | undefined;
};

export type EntryRow = {
  id: number;
  projectId: string | null;
  at: number;
  byKind: string;
  byId: string | null;
  byName: string;
  operation: string;
  target: string | null;
  detail: AuditDetail;
  requestId: string | null;
};

/** Entries, newest first. @param before only those with a smaller id */
export async function listEntries(
  db: Db,
  organizationId: string,
  { projectId, personId, operations }: EntryFilter,
  { before, limit }: { before: number; limit: number },
): Promise<EntryRow[]> {
  let query = db
    .selectFrom("auditEntries")
    .select([
      "id",
      "projectId",
      "at",
      "byKind",
      "byId",
      "byName",
      "operation",
      "target",
      "detail",
      "requestId",
    ])
    .where("organizationId", "=", organizationId)
    .where("id", "<", before);
  if (projectId !== null) query = query.where("projectId", "=", projectId);
  if (personId !== undefined) query = query.where("byId", "=", personId);
  if (operations !== undefined) query = query.where("operation", "in", operations);
  const rows = await query.orderBy("id", "desc").limit(limit).execute();
  return rows.map((row) => ({ ...row, detail: row.detail as AuditDetail }));
}

/** A person who changed something, by the name that they had last. */
export type AuthorRow = { id: string; name: string };

/** The people who have entries, by name. */
export async function listAuthors(
  db: Db,
  organizationId: string,
  { projectId }: Pick<EntryFilter, "projectId">,
): Promise<AuthorRow[]> {
  let query = db
    .selectFrom("auditEntries")
    .distinctOn("byId")
    .select(["byId as id", "byName as name"])
    .where("organizationId", "=", organizationId)
    .where("byId", "is not", null)
    .$narrowType<{ id: string }>();
  if (projectId !== null) query = query.where("projectId", "=", projectId);
  const authors = await query.orderBy("byId").orderBy("id", "desc").execute();
  return authors.toSorted((a, b) => a.name.localeCompare(b.name));
}

/**
 * The names of the people who made changes of some things, by the id of the thing and the instant (epoch ms): `authors.get(id)?.get(at)`.
 * Changes of programs have no entries, and so no names.
 */
export async function findAuthors(
  db: Db,
  projectId: string,
  operations: readonly string[],
  targets: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  if (targets.length === 0) return new Map();
  const rows = await db
    .selectFrom("auditEntries")
    .select(["target", "at", "byName"])
    .where("projectId", "=", projectId)
    .where("operation", "in", operations)
    .where("target", "in", targets)
    .execute();
  const authors = new Map<string, Map<number, string>>();
  for (const { target, at, byName } of rows) {
    if (target === null) continue;
    const names = authors.get(target) ?? new Map<number, string>();
    authors.set(target, names.set(at, byName));
  }
  return authors;
}

/** The names of projects of an organization, by their ids. */
export async function findProjectNames(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("projects")
    .select(["id", "name"])
    .where("organizationId", "=", organizationId)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What entries of some projects name, as it is called now. What is not there any more is left out. */
export async function findNames(
  db: Db,
  organizationId: string,
  projectIds: readonly string[],
  { campaigns, goals, segments, topics, journeys, proposals, addressKeys, emails, sources }: NamedIds,
): Promise<NamedThing[]> {
  const within = sql`any(${[...projectIds]}::uuid[])`;
  const { rows } = await sql<NamedThing>`
    select project_id as "projectId", 'campaign' as kind, 'cmp_' || id as id, name from ${t.campaigns}
      where project_id = ${within} and id = any(${[...campaigns]}::uuid[])
    union all select project_id, 'goal', 'goal_' || id, name from ${t.goals}
      where project_id = ${within} and id = any(${[...goals]}::uuid[])
    union all select project_id, 'segment', 'seg_' || id, name from ${t.segments}
      where project_id = ${within} and id = any(${[...segments]}::uuid[])
    union all select project_id, 'topic', 'top_' || id, name from ${t.topics}
      where project_id = ${within} and id = any(${[...topics]}::uuid[])
    union all select project_id, 'journey', 'jrn_' || id, name from ${t.journeys}
      where project_id = ${within} and id = any(${[...journeys]}::uuid[])
    union all select p.project_id, 'proposal', 'prop_' || p.id, c.name from ${t.proposals} p
      join ${t.campaigns} c on c.id = p.campaign_id and c.project_id = p.project_id
      where p.project_id = ${within} and p.id = any(${[...proposals]}::uuid[])
    union all select project_id, 'address', address_key::text, address from ${t.emailAddresses}
      where project_id = ${within} and lane = any(${addressKeys.map(laneOf)}::int2[])
        and address_key = any(${[...addressKeys]}::uuid[]) and address is not null
    union all select project_id, 'source', id, id from ${t.sources}
      where project_id = ${within} and id = any(${[...sources]}::text[])
    union all select null, 'person', u.email, u.name from people."user" u
      join ${t.members} m on m.person_id = u.id and m.organization_id = ${organizationId}
      where u.email = any(${[...emails]}::text[])`.execute(db);
  return rows;
}
