import { sql } from "kysely";
import type { InstallationRef } from "../../../../domain/ids.ts";
import type { Connection, Db } from "../../../../platform/db/db.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { StoredInstallation } from "../store.ts";

/**
 * A token that a provider refused for good: at which revision of the installation's token, for a push to which user's device, under
 * which credential, by which word, when (epoch ms), and whether the credential may be to blame.
 */
export type EndedToken = InstallationRef & {
  projectId: string;
  tokenRevision: number;
  userLane: number;
  userKey: string;
  credentialId: string;
  credentialRevision: number;
  code: string;
  at: number;
  isDoubtful: boolean;
};

/**
 * Takes tokens from installations, and keeps them as ended; nothing else of the installations changes. Left alone are installations that
 * have put another token since, tokens under which a push was accepted after the refusal, and refusals under a credential that was
 * replaced since.
 */
export const endTokens = rowsStatement<EndedToken, Record<never, never>>(
  { name: "end_tokens", reach: "keys" },
  {
    lane: "int2",
    installationKey: "uuid",
    projectId: "uuid",
    tokenRevision: "int8",
    userLane: "int2",
    userKey: "uuid",
    credentialId: "uuid",
    credentialRevision: "int8",
    code: "text",
    at: "int8",
    isDoubtful: "bool",
  },
  `,
  locked as (
    select n.*, i.token_lane, i.token_key from input n
    join ${t.installations} i
      on i.lane = n.lane and i.installation_key = n.installation_key and i.project_id = n.project_id
        and i.token_revision = n.token_revision
    where exists (
      select from ${t.pushCredentials} c
      where c.id = n.credential_id and c.project_id = n.project_id and c.revision = n.credential_revision
    ) and not exists (
      select from ${t.pushSlots} s
      join ${t.pushOutcomes} o on o.lane = s.lane and o.user_key = s.user_key and o.slot_key = s.slot_key
      join ${t.pushTargets} p
        on p.lane = o.lane and p.user_key = o.user_key and p.slot_key = o.slot_key and p.generation = o.generation
      where s.lane = n.user_lane and s.user_key = n.user_key and s.installation_key = n.installation_key
        and o.kind = 'accepted' and o.observed_at > n.at and p.token_revision = n.token_revision
    )
    order by i.lane, i.installation_key for no key update of i
  ),
  held as (
    select h.*, k.token from locked h
    join ${t.installationTokens} k
      on k.lane = h.token_lane and k.token_key = h.token_key and k.installation_key = h.installation_key
    order by k.lane, k.token_key for update of k
  ),
  -- Several campaigns may have been refused the same token.
  once as (select distinct on (token_lane, token_key) * from held order by token_lane, token_key, at),
  gone as (
    delete from ${t.installationTokens} k using once o where k.lane = o.token_lane and k.token_key = o.token_key
  ),
  bare as (
    update ${t.installations} i set token_lane = null, token_key = null
    from once o where i.lane = o.lane and i.installation_key = o.installation_key
  )
  insert into ${t.installationEndedTokens} (lane, installation_key, project_id, token_lane, token_key, token, token_revision,
    credential_id, credential_revision, code, ended_at, is_doubtful)
  select lane, installation_key, project_id, token_lane, token_key, token, token_revision, credential_id, credential_revision,
    code, at, is_doubtful
  from once`,
);

/** Credentials (UUID) in whose place another one was put, while tokens are ended that they may be to blame for. */
export async function findMendedAcrossProjects(
  db: Db,
): Promise<{ projectId: string; credentialId: string; revision: number }[]> {
  // In the order of an index: otherwise all ended tokens are read, also where none is of an earlier credential.
  const { rows } = await sql<{ projectId: string; credentialId: string; revision: number }>`
    select c.project_id as "projectId", c.id as "credentialId", c.revision
    from ${t.pushCredentials} c cross join lateral (
      select from ${t.installationEndedTokens} e
      where e.credential_id = c.id and e.credential_revision < c.revision and e.is_doubtful
      order by e.credential_revision limit 1
    ) e`.execute(db);
  return rows;
}

/** The credential (UUID) that is the first one of devices counts as the next one for tokens that had another before an import. */
export async function adoptEndedTokens(
  db: Db,
  projectId: string,
  { id, appId, platform, environment }: Adopting,
): Promise<void> {
  await sql`
    update ${t.installationEndedTokens} e set credential_id = ${id}, credential_revision = 0
    from ${t.installations} i
    where i.lane = e.lane and i.installation_key = e.installation_key and e.project_id = ${projectId} and e.is_doubtful
      and i.app_id = ${appId} and i.platform = ${platform} and i.environment = ${environment}`.execute(db);
}

type Adopting = Pick<StoredInstallation, "appId" | "platform" | "environment"> & { id: string };

type Mended = { projectId: string; credentialId: string; revision: number; limit: number };

/** Locks installations with ended tokens that may be tried again, whichever come first, in the order of their keys. */
const lockMended = valuesStatement<Mended, InstallationRef>(
  { name: "lock_mended_installations", reach: "all lanes" },
  { projectId: "uuid", credentialId: "uuid", revision: "int8", limit: "int4" },
  ({ projectId, credentialId, revision, limit }) => `
  with mended as materialized (
    select i.lane, i.installation_key from ${t.installationEndedTokens} e
    join ${t.installations} i on i.lane = e.lane and i.installation_key = e.installation_key
    where e.credential_id = ${credentialId} and e.credential_revision < ${revision} and e.is_doubtful
      and e.project_id = ${projectId}
    order by e.credential_revision limit ${limit}
  )
  select i.lane, i.installation_key as "installationKey" from mended m
  join ${t.installations} i on i.lane = m.lane and i.installation_key = m.installation_key
  order by i.lane, i.installation_key for no key update of i`,
);

/**
 * Gives locked installations back what they have as an ended token: the one that they put last, unless another installation has it by
 * now. A separate statement from the lock sees what was written during a wait for it.
 */
const returnTokens = rowsStatement<InstallationRef, Record<never, never>>(
  { name: "return_ended_tokens", reach: "keys" },
  { lane: "int2", installationKey: "uuid" },
  `,
  back as (
    select e.* from input n
    join ${t.installationEndedTokens} e on e.lane = n.lane and e.installation_key = n.installation_key
    join ${t.installations} i
      on i.lane = e.lane and i.installation_key = e.installation_key and i.token_revision = e.token_revision
  ),
  given as (
    insert into ${t.installationTokens} (lane, token_key, project_id, installation_lane, installation_key, token)
    select token_lane, token_key, project_id, lane, installation_key, token from back order by token_lane, token_key
    on conflict (lane, token_key) do nothing
    returning lane, token_key, installation_lane, installation_key
  )
  update ${t.installations} i set token_lane = g.lane, token_key = g.token_key
  from given g where i.lane = g.installation_lane and i.installation_key = g.installation_key`,
);

const forgetEnded = rowsStatement<InstallationRef, Record<never, never>>(
  { name: "forget_ended_tokens", reach: "key" },
  { lane: "int2", installationKey: "uuid" },
  `
  delete from ${t.installationEndedTokens} e using input n
  where e.lane = n.lane and e.installation_key = n.installation_key`,
);

/** Brings back at most `limit` tokens that ended under an earlier revision of a credential; answers how many installations it looked at. */
export async function bringTokensBack(client: Connection, mended: Mended): Promise<number> {
  const locked = await lockMended(client, mended);
  if (locked.length === 0) return 0;
  // First the tokens, then what is kept of them: in that order another device takes a token over.
  await returnTokens(client, locked);
  await forgetEnded(client, locked);
  return locked.length;
}
