import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

type Gone = { lane: number; key: string; tokenLane: number | null; tokenKey: string | null };

/** Deletes tokens, ended tokens and acknowledgements of deleted installations, in later statements: they see what was written during a wait for locks. */
async function eraseBeside(tx: Db, projectId: string, gone: readonly Gone[]): Promise<void> {
  const column = <Key extends keyof Gone>(key: Key): Gone[Key][] => gone.map((each) => each[key]);
  await sql`
    with locked as (
      select t.lane, t.token_key from ${t.installationTokens} t
      join unnest(${column("tokenLane")}::int2[], ${column("tokenKey")}::uuid[], ${column("key")}::uuid[])
        as g (lane, token_key, installation_key)
        on g.lane = t.lane and g.token_key = t.token_key and g.installation_key = t.installation_key
      where t.project_id = ${projectId}
      order by t.lane, t.token_key for update of t
    )
    delete from ${t.installationTokens} t using locked h where t.lane = h.lane and t.token_key = h.token_key`.execute(
    tx,
  );
  await sql`
    delete from ${t.installationEndedTokens} e
    using unnest(${column("lane")}::int2[], ${column("key")}::uuid[]) as g (lane, installation_key)
    where e.lane = g.lane and e.installation_key = g.installation_key and e.project_id = ${projectId}`.execute(
    tx,
  );
  await sql`
    delete from ${t.installationAcknowledgements} a
    using unnest(${column("lane")}::int2[], ${column("key")}::uuid[]) as g (lane, installation_key)
    where a.lane = g.lane and a.installation_key = g.installation_key and a.project_id = ${projectId}`.execute(
    tx,
  );
}

/**
 * Deletes the installations of a user, whose row must be locked, and the acknowledgements that name the user on devices that other users
 * have now. Earlier acknowledgements of such a device go too: they cannot be read without the later ones.
 */
export async function eraseInstallations(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<void> {
  const { rows } = await sql<Gone>`
    delete from ${t.installations} where user_lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}
    returning lane, installation_key as key, token_lane as "tokenLane", token_key as "tokenKey"`.execute(tx);
  if (rows.length > 0) await eraseBeside(tx, projectId, rows);
  // The last acknowledgement in which the user was replaced is about the user after them: it stays, without the name of the replaced one.
  const replaced = sql`
    replaced_user_lane = ${lane} and replaced_user_key = ${userKey} and project_id = ${projectId}`;
  await sql`
    delete from ${t.installationAcknowledgements} a using (
      select lane, installation_key, max(revision) as revision from ${t.installationAcknowledgements}
      where ${replaced} group by 1, 2
    ) last
    where a.lane = last.lane and a.installation_key = last.installation_key and a.revision < last.revision`.execute(
    tx,
  );
  await sql`
    update ${t.installationAcknowledgements}
    set replaced_user_lane = null, replaced_user_key = null, replaced_user_external_id = null
    where ${replaced}`.execute(tx);
}
