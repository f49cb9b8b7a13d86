import { sql } from "kysely";
import type { InstallationRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { type Acknowledgement, KEPT_ACKNOWLEDGEMENTS, type State } from "./rules.ts";
import type { Capabilities } from "./schema.ts";
import type { StoredInstallation } from "./store.ts";

/** A request of a device; `digest` is the SHA-256 of its operation and body. */
export type DeviceRequest = { requestId: string; digest: Buffer };

/** The acknowledged request with that id, while its acknowledgement is kept. */
export async function findAcknowledged(
  tx: Db,
  projectId: string,
  { lane, installationKey }: InstallationRef,
  requestId: string,
): Promise<{ revision: number; digest: Buffer } | null> {
  const row = await tx
    .selectFrom("installationAcknowledgements")
    .select(["revision", "digest"])
    .where("lane", "=", lane)
    .where("installationKey", "=", installationKey)
    .where("requestId", "=", requestId)
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row ?? null;
}

/** The acknowledgements from a revision on, in order. */
export async function readAcknowledgements(
  tx: Db,
  projectId: string,
  { lane, installationKey }: InstallationRef,
  fromRevision: number,
): Promise<Acknowledgement[]> {
  const rows = await tx
    .selectFrom("installationAcknowledgements")
    .select(["bindingGeneration", "revision", "tokenRevision", "hasToken", "permission", "consent"])
    .select(["lastActiveAt", "replacedUserExternalId", "replacedCapabilities"])
    .where("lane", "=", lane)
    .where("installationKey", "=", installationKey)
    .where("projectId", "=", projectId)
    .where("revision", ">=", fromRevision)
    .orderBy("revision")
    .execute();
  return rows.map((row) => ({
    ...row,
    // Only checked objects are written to this column.
    replacedCapabilities: row.replacedCapabilities as Capabilities | null,
  }));
}

/**
 * Writes the next revision of an installation, which must be locked, keeps its acknowledgement and deletes the oldest one. Null when the
 * installation is at another revision.
 */
export async function writeChange(
  tx: Db,
  projectId: string,
  { lane, installationKey }: InstallationRef,
  next: State,
  { requestId, digest }: DeviceRequest,
): Promise<StoredInstallation | null> {
  const { user, token, revision, bindingGeneration, tokenRevision, permission, consent, lastActiveAt } = next;
  const its = sql`lane = ${lane} and installation_key = ${installationKey} and project_id = ${projectId}`;
  const { rows } = await sql<StoredInstallation>`
    with before as (select * from ${t.installations} where ${its} and revision = ${revision - 1}),
    changed as (
      update ${t.installations}
      set user_lane = ${user?.lane ?? null}, user_key = ${user?.userKey ?? null},
        user_external_id = ${user?.externalId ?? null}, token_lane = ${token?.lane ?? null},
        token_key = ${token?.tokenKey ?? null}, binding_generation = ${bindingGeneration},
        revision = ${revision}, token_revision = ${tokenRevision}, permission = ${permission},
        consent = ${consent}, capabilities = ${JSON.stringify(next.capabilities)}, last_active_at = ${lastActiveAt}
      where ${its} and revision = ${revision - 1}
      returning *
    ),
    kept as (
      insert into ${t.installationAcknowledgements} (
        lane, installation_key, request_id, digest, project_id, revision, binding_generation, token_revision, has_token,
        permission, consent, last_active_at, replaced_user_lane, replaced_user_key, replaced_user_external_id,
        replaced_capabilities
      )
      select c.lane, c.installation_key, ${requestId}::text, ${digest}::bytea, c.project_id, c.revision,
        c.binding_generation, c.token_revision, c.token_key is not null, c.permission, c.consent, c.last_active_at,
        case when c.binding_generation <> b.binding_generation then b.user_lane end,
        case when c.binding_generation <> b.binding_generation then b.user_key end,
        case when c.binding_generation <> b.binding_generation then b.user_external_id end,
        case when c.capabilities <> b.capabilities then b.capabilities end
      from changed c, before b
    ),
    evicted as (
      delete from ${t.installationAcknowledgements} where ${its} and revision <= ${revision - KEPT_ACKNOWLEDGEMENTS}
    )
    select * from changed`.execute(tx);
  return rows[0] ?? null;
}
