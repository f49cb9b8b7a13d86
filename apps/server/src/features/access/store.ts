import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { KeyKind } from "../../platform/http/endpoint.ts";
import type { PerimeterRow } from "./perimeter.ts";

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

export type NewKey = {
  projectId: string;
  kind: KeyKind;
  digest: Buffer;
  publishableToken: string | null;
  createdAt: number;
  expiresAt: number | null;
};

export async function insertKey(db: Db, row: NewKey): Promise<void> {
  await db.insertInto("apiKeys").values(row).execute();
}

/** Keys of a kind that still work stop working at `expiresAt`; answers how many. */
export async function expireKeys(
  db: Db,
  projectId: string,
  kind: KeyKind,
  now: number,
  expiresAt: number,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("apiKeys")
    .set({ expiresAt })
    .where("projectId", "=", projectId)
    .where("kind", "=", kind)
    .where((where) => where.or([where("expiresAt", "is", null), where("expiresAt", ">", now)]))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
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

export type KeyRow = PerimeterRow & { keyKind: KeyKind };

/** A key that works, with the perimeter of its project: in one statement, so that the perimeter needs no second one. */
export async function findKeyAcrossProjects(db: Db, digest: Buffer, now: number): Promise<KeyRow | null> {
  const { rows } = await sql<KeyRow>`
    select k.project_id as "projectId", k.kind as "keyKind",
      coalesce((
        select s.value = 'true' from settings s
        where s.project_id = k.project_id and s.key = 'identity.required'
      ), false) as "isIdentityRequired",
      array(
        select i.sealed from identity_secrets i
        where i.project_id = k.project_id and (i.expires_at is null or i.expires_at > ${now})
      ) as "identitySecrets",
      (
        select s.value #>> '{}' from settings s
        where s.project_id = k.project_id and s.key = 'origins.allowed'
      ) as "allowedOrigins",
      (
        select s.value #>> '{}' from settings s
        where s.project_id = k.project_id and s.key = 'identity.serverTraits'
      ) as "serverTraits",
      (
        select s.value #>> '{}' from settings s
        where s.project_id = k.project_id and s.key = 'identity.serverEvents'
      ) as "serverEvents"
    from api_keys k
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

export async function listProjectsAcrossProjects(db: Db): Promise<ListedProject[]> {
  return db
    .selectFrom("projects")
    .leftJoin("apiKeys", (join) =>
      join
        .onRef("apiKeys.projectId", "=", "projects.id")
        .on("apiKeys.kind", "=", "publishable")
        .on("apiKeys.expiresAt", "is", null),
    )
    .select([
      "projects.id",
      "projects.name",
      "projects.organizationId",
      "projects.createdAt",
      "apiKeys.publishableToken as publishableKey",
      sql<boolean>`exists (select from demo_shop d where d.project_id = projects.id)`.as("isDemo"),
    ])
    .orderBy("projects.createdAt")
    .orderBy("projects.id")
    .execute();
}

export async function renameProject(db: Db, projectId: string, name: string): Promise<void> {
  await db.updateTable("projects").set({ name }).where("id", "=", projectId).execute();
}

export async function projectExists(db: Db, projectId: string): Promise<boolean> {
  return (
    (await db.selectFrom("projects").select("id").where("id", "=", projectId).executeTakeFirst()) !==
    undefined
  );
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
