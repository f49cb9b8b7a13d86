import { type Selectable, sql } from "kysely";
import type { InstallationRef, UserRef } from "../../../domain/ids.ts";
import { containing } from "../../../platform/db/containing.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { insertMissingUsersCte } from "../profiles/public.ts";
import { type BoundUser, NO_CAPABILITIES, type State } from "./rules.ts";
import type { Capabilities, Installation } from "./schema.ts";

export type StoredInstallation = Selectable<Tables["installations"]>;
/** An installation as it is stored, and whether it still has the token that it put last. */
export type InstallationRow = StoredInstallation & { hasToken: boolean };
/** An installation with the token that it has. */
export type InstallationWithToken = InstallationRow & { token: string | null };

/** An installation as the API shows it. */
export const toInstallation = (row: InstallationRow): Installation => ({
  id: row.installationId,
  appId: row.appId,
  platform: row.platform,
  environment: row.environment,
  userId: row.userExternalId,
  bindingGeneration: row.bindingGeneration,
  revision: row.revision,
  tokenRevision: row.tokenRevision,
  hasToken: row.hasToken,
  permission: row.permission,
  consent: row.consent,
  // Only checked objects are written to this column.
  capabilities: row.capabilities as Capabilities,
  lastActiveAt: row.lastActiveAt,
  createdAt: row.createdAt,
});

/** The part of an installation that its device changes. */
export function toState(row: InstallationWithToken): State {
  const { userLane, userKey, userExternalId, tokenLane, tokenKey, token } = row;
  const isBound = userLane !== null && userKey !== null && userExternalId !== null;
  const hasToken = token !== null && tokenLane !== null && tokenKey !== null;
  return {
    ...toInstallation(row),
    user: isBound ? { lane: userLane, userKey, externalId: userExternalId } : null,
    token: hasToken ? { lane: tokenLane, tokenKey, token } : null,
  };
}

const withToken = (db: Db) =>
  db
    .selectFrom("installations as i")
    .leftJoin("installationTokens as t", (join) =>
      join
        .onRef("t.lane", "=", "i.tokenLane")
        .onRef("t.tokenKey", "=", "i.tokenKey")
        .onRef("t.installationKey", "=", "i.installationKey"),
    )
    .selectAll("i")
    .select(sql<boolean>`t.token_key is not null`.as("hasToken"));

export async function findInstallation(
  db: Db,
  projectId: string,
  { lane, installationKey }: InstallationRef,
): Promise<InstallationWithToken | null> {
  const row = await withToken(db)
    .select("t.token")
    .where("i.lane", "=", lane)
    .where("i.installationKey", "=", installationKey)
    .where("i.projectId", "=", projectId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Locks the installation until the transaction ends, so that other changes wait. The caller reads it by another statement afterwards: a
 * statement that has waited for a lock does not see what was written to other rows meanwhile.
 */
export async function lockInstallation(
  tx: Db,
  projectId: string,
  { lane, installationKey }: InstallationRef,
): Promise<void> {
  await sql`
    select from ${t.installations}
    where lane = ${lane} and installation_key = ${installationKey} and project_id = ${projectId}
    for no key update`.execute(tx);
}

/** Inserts the user if there is none, and locks their row, as erasing does. Comes before any installation is locked. */
export async function lockBoundUser(tx: Db, projectId: string, user: BoundUser, at: number): Promise<void> {
  const bound = relation<"lane" | "user_key" | "project_id" | "external_id" | "ts">("bound");
  const missing = insertMissingUsersCte(bound);
  await sql`
    with ${bound} as (
      select ${user.lane}::int2 as lane, ${user.userKey}::uuid as user_key, ${projectId}::uuid as project_id,
        ${user.externalId}::text as external_id, ${at}::int8 as ts
    ), ${missing.ctes}
    select ${missing.noErasureRuns}`.execute(tx);
}

/** `verifier` is the SHA-256 of the capability, `createdAt` epoch milliseconds. */
export type NewInstallation = InstallationRef &
  Pick<
    StoredInstallation,
    "installationId" | "appId" | "platform" | "environment" | "verifier" | "createdAt"
  >;

/** Inserts an installation, if there is none of that id. */
export async function insertInstallation(db: Db, projectId: string, made: NewInstallation): Promise<void> {
  await db
    .insertInto("installations")
    .values({ ...made, projectId, capabilities: JSON.stringify(NO_CAPABILITIES) })
    .onConflict((conflict) => conflict.columns(["lane", "installationKey"]).doNothing())
    .execute();
}

/** `undefined` does not filter; `q` is part of the id of the user or of the installation, whatever its case. */
export type InstallationFilter = {
  user?: UserRef | undefined;
  q?: string | undefined;
  hasToken?: boolean | undefined;
} & {
  [Field in "appId" | "platform" | "environment" | "permission" | "consent"]?:
    | StoredInstallation[Field]
    | undefined;
};

function matching({ user, q, hasToken, ...equal }: InstallationFilter) {
  const isEqual = Object.entries(equal).flatMap(([field, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(`i.${field}`)} = ${value}`],
  );
  return sql.join<boolean>(
    [
      sql`true`,
      ...isEqual,
      ...(user === undefined ? [] : [sql`i.user_lane = ${user.lane}`, sql`i.user_key = ${user.userKey}`]),
      ...(q === undefined || q === ""
        ? []
        : [sql`(i.user_external_id ilike ${containing(q)} or i.installation_id ilike ${containing(q)})`]),
      ...(hasToken === undefined ? [] : [sql`(t.token_key is not null) = ${hasToken}`]),
    ],
    sql` and `,
  );
}

/** The newest installations come first; within one millisecond by key, descending. */
export async function listInstallationRows(
  db: Db,
  projectId: string,
  filter: InstallationFilter,
  window: { offset: number; limit: number },
): Promise<{ rows: InstallationRow[]; total: number }> {
  const found = withToken(db).where("i.projectId", "=", projectId).where(matching(filter));
  const { total } = await found
    .clearSelect()
    .select(sql<number>`count(*)`.as("total"))
    .executeTakeFirstOrThrow();
  const rows = await found
    .orderBy("i.createdAt", "desc")
    .orderBy("i.installationKey", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  return { rows, total };
}
