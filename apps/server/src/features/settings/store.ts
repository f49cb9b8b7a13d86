import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** `byOperator`: whether the host that it names, if it names one, may lie in the network of the server. */
export type SettingRow = {
  key: string;
  value: unknown;
  sealed: Buffer | null;
  updatedAt: number;
  byOperator: boolean;
};

/** The owner of a setting. */
export type SettingOwner = { projectId: string } | { organizationId: string };

/** Locks an organization's settings until the transaction ends. Lock those of the project first. */
export async function lockOrganization(tx: Db, organizationId: string): Promise<void> {
  await tx
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationId)
    .forNoKeyUpdate()
    .execute();
}

/** The stored settings of a project and of its organization; settings without a row have their default. */
export async function findSettings(db: Db, projectId: string): Promise<SettingRow[]> {
  const { rows } = await sql<SettingRow>`
    select key, value, sealed, updated_at as "updatedAt", by_operator as "byOperator" from ${t.settings} where project_id = ${projectId}
    union all
    select o.key, o.value, null, o.updated_at, true
    from ${t.projects} p join ${t.organizationSettings} o on o.organization_id = p.organization_id
    where p.id = ${projectId}`.execute(db);
  return rows;
}

/** The stored settings of one owner. */
export async function findOwnSettings(db: Db, owner: SettingOwner): Promise<SettingRow[]> {
  if ("projectId" in owner)
    return db
      .selectFrom("settings")
      .select(["key", "value", "sealed", "updatedAt", "byOperator"])
      .where("projectId", "=", owner.projectId)
      .execute();
  const rows = await db
    .selectFrom("organizationSettings")
    .select(["key", "value", "updatedAt"])
    .where("organizationId", "=", owner.organizationId)
    .execute();
  return rows.map((row) => ({ ...row, sealed: null, byOperator: true }));
}

/** The stored settings of a project's organization, by key; null when there is no such project. */
export async function findOrganizationSettings(
  db: Db,
  projectId: string,
): Promise<{ organizationId: string; values: Record<string, unknown> } | null> {
  const { rows } = await sql<{ organizationId: string; values: Record<string, unknown> }>`
    select p.organization_id as "organizationId", coalesce((
      select json_object_agg(o.key, o.value) from ${t.organizationSettings} o
      where o.organization_id = p.organization_id
    ), '{}') as values
    from ${t.projects} p where p.id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

/**
 * Whether an operator named the host that a project's setting has, which may then lie in the network of the server. True too where the
 * project has no such setting.
 */
export async function isByOperator(db: Db, projectId: string, key: string): Promise<boolean> {
  const row = await db
    .selectFrom("settings")
    .select("byOperator")
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .executeTakeFirst();
  return row?.byOperator ?? true;
}

/** A value as compact JSON, or sealed: one of the two. */
export type StoredValue = { value: string; sealed: null } | { value: null; sealed: Buffer };

export async function putSetting(
  tx: Db,
  owner: SettingOwner,
  key: string,
  { value, sealed }: StoredValue,
  { updatedAt, byOperator }: { updatedAt: number; byOperator: boolean },
): Promise<void> {
  if ("projectId" in owner)
    await tx
      .insertInto("settings")
      .values({ ...owner, key, value, sealed, updatedAt, byOperator })
      .onConflict((conflict) =>
        conflict.columns(["projectId", "key"]).doUpdateSet({ value, sealed, updatedAt, byOperator }),
      )
      .execute();
  else
    await tx
      .insertInto("organizationSettings")
      .values({ ...owner, key, value, updatedAt })
      .onConflict((conflict) => conflict.columns(["organizationId", "key"]).doUpdateSet({ value, updatedAt }))
      .execute();
}

export async function removeSetting(tx: Db, owner: SettingOwner, key: string): Promise<void> {
  if ("projectId" in owner)
    await tx.deleteFrom("settings").where("projectId", "=", owner.projectId).where("key", "=", key).execute();
  else
    await tx
      .deleteFrom("organizationSettings")
      .where("organizationId", "=", owner.organizationId)
      .where("key", "=", key)
      .execute();
}

/** JSON of before and after, or null for the default. */
export type NewChange = {
  owner: SettingOwner;
  key: string;
  before: string | null;
  after: string | null;
  changedBy: string;
  changedAt: number;
};

export async function insertChanges(tx: Db, changes: readonly NewChange[]): Promise<void> {
  const none = { projectId: null, organizationId: null };
  await tx
    .insertInto("settingChanges")
    .values(changes.map(({ owner, ...change }) => ({ ...none, ...owner, ...change })))
    .execute();
}

export type ChangeRow = {
  key: string;
  before: unknown;
  after: unknown;
  changedBy: string;
  changedAt: number;
};

/** The changes of a project's and its organization's settings, newest first. */
export async function findChanges(db: Db, projectId: string, limit: number): Promise<ChangeRow[]> {
  return db
    .selectFrom("settingChanges")
    .select(["key", "before", "after", "changedBy", "changedAt"])
    .where((where) =>
      where.or([
        where("projectId", "=", projectId),
        where(
          "organizationId",
          "=",
          where.selectFrom("projects").select("organizationId").where("id", "=", projectId),
        ),
      ]),
    )
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

/** The last change of a setting; `id` grows with each change. */
export type LastChangeRow = { id: number; key: string; changedBy: string; changedAt: number };

/** The last change of each setting of an owner that was ever changed. */
export async function findLastChanges(db: Db, owner: SettingOwner): Promise<LastChangeRow[]> {
  return changesOf(db, owner)
    .distinctOn("key")
    .select(["id", "key", "changedBy", "changedAt"])
    .orderBy("key")
    .orderBy("id", "desc")
    .execute();
}

/** The last change of one setting of an owner; undefined where it was never changed. */
export const findLastChange = (
  db: Db,
  owner: SettingOwner,
  key: string,
): Promise<Pick<LastChangeRow, "changedBy" | "changedAt"> | undefined> =>
  changesOf(db, owner)
    .select(["changedBy", "changedAt"])
    .where("key", "=", key)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();

/** The changes of one owner's settings, newest first. @param before only those with a smaller id */
export async function findOwnChanges(
  db: Db,
  owner: SettingOwner,
  { before, limit }: { before: number; limit: number },
): Promise<(ChangeRow & { id: number })[]> {
  return changesOf(db, owner)
    .select(["id", "key", "before", "after", "changedBy", "changedAt"])
    .where("id", "<", before)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

const changesOf = (db: Db, owner: SettingOwner) =>
  "projectId" in owner
    ? db.selectFrom("settingChanges").where("projectId", "=", owner.projectId)
    : db.selectFrom("settingChanges").where("organizationId", "=", owner.organizationId);
