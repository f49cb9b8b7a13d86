import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { dueSql } from "../../../platform/time/far-ahead.ts";
import {
  type CredentialRefusal,
  FIRST_PROBE_MS,
  LONGEST_PROBE_MS,
  type RefusedCredential,
} from "./standing.pure.ts";

/** A credential (UUID) at one revision, at an instant (epoch ms). */
type At = { id: string; projectId: string; revision: number; at: number };

/** The provider at `address` accepted a push. */
export type Acceptance = At & { address: string };

/**
 * Marks that credentials work. It writes only where that is news, so that the row of a credential stays cold.
 * @returns the apps of the credentials that were changed
 */
export const markAcceptances = rowsStatement<Acceptance, { projectId: string; appId: string }>(
  { name: "mark_push_acceptances", reach: "config" },
  { id: "uuid", projectId: "uuid", revision: "int8", at: "int8", address: "text" },
  `
  update ${t.pushCredentials} c
  set accepted_by = i.address, refused_at = null, refused_code = null, is_barred = false, probe_at = null, probes = 0
  from input i
  where c.id = i.id and c.project_id = i.project_id and c.revision = i.revision
    and (c.accepted_by is distinct from i.address or c.refused_at is not null)
  returning c.project_id as "projectId", c.app_id as "appId"`,
);

/**
 * The provider at `address` refused a push. `isCertain`: because of the credential; else only a credential that was never accepted there
 * is suspected. `bars`: nothing but probes may leave any more.
 */
export type RefusalMark = At & { address: string; code: string; isCertain: boolean; bars: boolean };

/** Marks that credentials are refused: once, and once more where they are barred from then on. */
export const markRefusals = rowsStatement<RefusalMark, Record<never, never>>(
  { name: "mark_push_refusals", reach: "config" },
  {
    id: "uuid",
    projectId: "uuid",
    revision: "int8",
    at: "int8",
    address: "text",
    code: "text",
    isCertain: "bool",
    bars: "bool",
  },
  `
  update ${t.pushCredentials} c
  set refused_at = coalesce(c.refused_at, i.at), refused_code = i.code, is_barred = c.is_barred or i.bars,
    probe_at = coalesce(c.probe_at, i.at + ${FIRST_PROBE_MS})
  from input i
  where c.id = i.id and c.project_id = i.project_id and c.revision = i.revision
    and (i.is_certain or c.accepted_by is distinct from i.address)
    and (c.refused_at is null or (i.bars and not c.is_barred))`,
);

/** Takes the probes of refused credentials that are due, of which one process gets each, and plans the next ones. */
export const claimProbes = rowsStatement<At, { id: string }>(
  { name: "claim_push_probes", reach: "config" },
  { id: "uuid", projectId: "uuid", revision: "int8", at: "int8" },
  `
  update ${t.pushCredentials} c
  set probes = c.probes + 1,
    probe_at = i.at + least(${FIRST_PROBE_MS} * 2.0 ^ least(c.probes + 1, 20), ${LONGEST_PROBE_MS})::int8
  from input i
  where c.id = i.id and c.project_id = i.project_id and c.revision = i.revision
    and ${dueSql("c.probe_at", "i.at", LONGEST_PROBE_MS)}
  returning c.id`,
);

/** The credentials of a project, or of one app (null: of all), that their provider refuses. */
export async function listRefused(
  db: Db,
  projectId: string,
  appId: string | null,
): Promise<RefusedCredential[]> {
  const { rows } = await sql<RefusedCredential>`
    select app_id as "appId", platform, environment, refused_at as "refusedAt", refused_code as "refusedCode",
      is_barred as "isBarred"
    from ${t.pushCredentials}
    where project_id = ${projectId} and app_id = coalesce(${appId}::text, app_id) and refused_at is not null
    order by app_id, platform, environment`.execute(db);
  return rows;
}

/** How many credentials their provider refuses, in one project (UUID) or in all. */
export async function countRefusedAcrossProjects(db: Db, projectId: string | null): Promise<number> {
  const { rows } = await sql<{ refused: number }>`
    select count(*) as refused from ${t.pushCredentials}
    where refused_at is not null and project_id = coalesce(${projectId}::uuid, project_id)`.execute(db);
  return rows[0]?.refused ?? 0;
}

/** The running push campaigns of a project, those given or those of an app, each with the refused credentials of its app. */
export async function listRefusals(
  db: Db,
  projectId: string,
  { campaignIds = null, appId = null }: { campaignIds?: readonly string[] | null; appId?: string | null },
): Promise<{ campaignId: string; refused: CredentialRefusal[] }[]> {
  const { rows } = await sql<{ campaignId: string; refused: CredentialRefusal[] }>`
    select c.id as "campaignId", coalesce(jsonb_agg(
      jsonb_build_object('appId', p.app_id, 'platform', p.platform, 'environment', p.environment, 'refusedCode', p.refused_code)
      order by p.platform, p.environment) filter (where p.id is not null), '[]') as refused
    from ${t.campaigns} c
    left join ${t.pushCredentials} p
      on p.project_id = c.project_id and p.app_id = c.push->>'appId' and p.refused_at is not null
    where c.project_id = ${projectId} and c.channel = 'push'
      and (c.id = any(${campaignIds}::uuid[]) or (c.push->>'appId' = ${appId} and c.status = 'running'))
    group by c.id`.execute(db);
  return rows;
}
