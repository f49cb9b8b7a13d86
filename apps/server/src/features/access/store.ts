import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { KeyKind } from "../../platform/http/contract/endpoint.ts";
import type { PerimeterRow } from "./perimeter/perimeter.ts";

export type Project = { id: string; name: string; organizationId: string; createdAt: number };

export async function insertOrganization(
  db: Db,
  row: { id: string; name: string; createdAt: number },
): Promise<void> {
  await db.insertInto("organizations").values(row).execute();
}

export async function insertProject(db: Db, row: Project): Promise<void> {
  await db.insertInto("projects").values(row).execute();
}

/**
 * Locks a project until the transaction ends, so that changes of its settings follow one another; answers its organization, null when there
 * is no such project.
 */
export async function lockProject(tx: Db, projectId: string): Promise<string | null> {
  const row = await tx
    .selectFrom("projects")
    .select("organizationId")
    .where("id", "=", projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.organizationId ?? null;
}

export type NewKey = {
  projectId: string;
  kind: KeyKind;
  digest: Buffer;
  publishableToken: string | null;
  ending: string;
  isLent: boolean;
  createdAt: number;
  expiresAt: number | null;
};

export async function insertKey(db: Db, row: NewKey): Promise<void> {
  await db.insertInto("apiKeys").values(row).execute();
}

/** Keys of a kind that still work stop working at `expiresAt`, or at the end that they had, where that is sooner; answers how many. */
export async function expireKeys(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
  expiresAt: number,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("apiKeys")
    .set((row) => ({ expiresAt: row.fn<number>("least", ["expiresAt", row.val(expiresAt)]) }))
    .where("projectId", "=", projectId)
    .where("kind", "=", kind)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** A key that works, as a list shows it: never the key itself, unless it is publishable. */
export type ListedKey = {
  id: string;
  kind: KeyKind;
  publishableToken: string | null;
  ending: string | null;
  isLent: boolean;
  createdAt: number;
  expiresAt: number | null;
};

/** The first half of the hash of a key in hex: two keys never share it, and no key can be computed from it. */
const keyId = sql<string>`encode(substr(digest, 1, 16), 'hex')`;

/** The keys of a project that work at `now`, newest first, those without an end before the others. */
export async function listKeys(db: Db, projectId: string, now: number): Promise<ListedKey[]> {
  return db
    .selectFrom("apiKeys")
    .select([keyId.as("id"), "kind", "publishableToken", "ending", "isLent", "createdAt", "expiresAt"])
    .where("projectId", "=", projectId)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .orderBy("kind")
    .orderBy("expiresAt", (order) => order.desc().nullsFirst())
    .orderBy("createdAt", "desc")
    .execute();
}

/** Deletes a key of a project; answers what it was, null where there is none that works. */
export async function deleteKey(
  db: Db,
  projectId: string,
  id: string,
  now: number,
): Promise<Pick<ListedKey, "kind" | "ending"> | null> {
  const deleted = await db
    .deleteFrom("apiKeys")
    .where("projectId", "=", projectId)
    .where(keyId, "=", id)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .returning(["kind", "ending"])
    .executeTakeFirst();
  return deleted ?? null;
}

/** Locks the keys of a project against changes by others, until the end of the transaction; false where there is no such project. */
export async function lockKeys(tx: Db, projectId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("projects")
    .select("id")
    .where("id", "=", projectId)
    .where("deletedAt", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** How many keys of a kind a project has that have no end. */
export async function countLastingKeys(db: Db, projectId: string, kind: KeyKind): Promise<number> {
  const { count } = await db
    .selectFrom("apiKeys")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("projectId", "=", projectId)
    .where("kind", "=", kind)
    .where("expiresAt", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Keys that no longer work are refused with or without their row. */
export async function forgetExpiredKeys(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
): Promise<void> {
  await db
    .deleteFrom("apiKeys")
    .where("projectId", "=", projectId)
    .where("kind", "=", kind)
    .where("expiresAt", "<=", now)
    .execute();
}

export type KeyRow = PerimeterRow & { keyKind: KeyKind; isLent: boolean };

/** A key that works, with the perimeter of its project: in one statement, so that the perimeter needs no second one. */
export async function findKeyAcrossProjects(db: Db, digest: Buffer, now: number): Promise<KeyRow | null> {
  const { rows } = await sql<KeyRow>`
    select k.project_id as "projectId", k.kind as "keyKind", k.is_lent as "isLent",
      coalesce((
        select s.value = 'true' from ${t.settings} s
        where s.project_id = k.project_id and s.key = 'identity.required'
      ), false) as "isIdentityRequired",
      array(
        select i.sealed from ${t.identitySecrets} i
        where i.project_id = k.project_id and (i.expires_at is null or i.expires_at > ${now})
      ) as "identitySecrets",
      (
        select s.value #>> '{}' from ${t.settings} s
        where s.project_id = k.project_id and s.key = 'origins.allowed'
      ) as "allowedOrigins",
      (
        select s.value #>> '{}' from ${t.settings} s
        where s.project_id = k.project_id and s.key = 'identity.serverTraits'
      ) as "serverTraits",
      (
        select s.value #>> '{}' from ${t.settings} s
        where s.project_id = k.project_id and s.key = 'identity.serverEvents'
      ) as "serverEvents"
    from ${t.apiKeys} k
    where k.digest = ${digest} and (k.expires_at is null or k.expires_at > ${now})`.execute(db);
  return rows[0] ?? null;
}

export async function firstOrganizationAcrossProjects(db: Db): Promise<string | null> {
  const row = await db
    .selectFrom("organizations")
    .select("id")
    .orderBy("createdAt")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** A project as a list shows it; `isDemo` marks the one that the demo made for itself. */
export type ListedProject = Project & { publishableKey: string | null; isDemo: boolean };

/** The publishable key of a project that was made last, of those without an end. */
const newestPublishableKey = sql<string | null>`(
  select k.publishable_token from ${t.apiKeys} k
  where k.project_id = ${t.projects}.id and k.kind = 'publishable' and k.expires_at is null
  order by k.created_at desc, k.digest limit 1
)`;

export async function listProjectsAcrossProjects(db: Db): Promise<ListedProject[]> {
  return db
    .selectFrom("projects")
    .where("projects.deletedAt", "is", null)
    .select([
      "projects.id",
      "projects.name",
      "projects.organizationId",
      "projects.createdAt",
      newestPublishableKey.as("publishableKey"),
      sql<boolean>`exists (select from ${t.demoShop} d where d.project_id = ${t.projects}.id)`.as("isDemo"),
    ])
    .orderBy("projects.createdAt")
    .orderBy("projects.id")
    .execute();
}

/** Calls a project something else; answers what it was called, null where there is none. Needs a transaction. */
export async function renameProject(tx: Db, projectId: string, name: string): Promise<string | null> {
  const before = await tx
    .selectFrom("projects")
    .select("name")
    .where("id", "=", projectId)
    .where("deletedAt", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (before === undefined) return null;
  await tx.updateTable("projects").set({ name }).where("id", "=", projectId).execute();
  return before.name;
}

/**
 * Marks a project's configuration as changed, in the transaction that changes it. Caches of running campaigns and of
 * goals' target events carry the number they were made at; statements compare it.
 */
export async function raiseConfigVersion(db: Db, projectId: string): Promise<void> {
  await db
    .updateTable("projects")
    .set((set) => ({ configVersion: set("configVersion", "+", 1) }))
    .where("id", "=", projectId)
    .execute();
}
