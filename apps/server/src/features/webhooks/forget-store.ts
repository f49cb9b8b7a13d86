import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { openMessagesSql } from "./store.ts";

/** A webhook whose messages are looked through for old ones. `offAt`: since when it is off (epoch ms); null where it is on. */
export type KeptWebhook = { id: string; projectId: string; isDeleted: boolean; offAt: number | null };

/** All webhooks, those that were deleted among them. */
export async function listAllWebhooksAcrossProjects(db: Db): Promise<KeptWebhook[]> {
  const { rows } = await sql<KeptWebhook>`
    select id, project_id as "projectId", deleted_at is not null as "isDeleted", off_at as "offAt" from ${t.webhooks} order by id`.execute(
    db,
  );
  return rows;
}

/** Which messages are old: those that ended before an instant (epoch ms), and all that wait. */
type OldMessages = { endedBefore: number; waiting: boolean };

/**
 * Deletes what is old among the `limit` first messages of each state of a webhook, with their attempts: what is young is not read beyond these.
 * Those that are being sent stay. Answers how many it deleted.
 */
export async function forgetMessages(
  db: Db,
  projectId: string,
  webhookId: string,
  { endedBefore, waiting, limit }: OldMessages & { limit: number },
): Promise<number> {
  const states = ["delivered", "given_up", ...(waiting ? ["waiting"] : [])];
  const { rows } = await sql<{ deleted: number }>`
    with old as materialized (
      select m.lane, m.id from unnest(${states}::text[]) s (state) cross join lateral (
        select o.lane, o.id, o.ended_at from ${t.webhookMessages} o
        where o.webhook_id = ${webhookId} and o.project_id = ${projectId} and o.state = s.state
        order by o.id limit ${limit}
      ) m
      where s.state = 'waiting' or m.ended_at < ${endedBefore}
    ),
    gone as (
      delete from ${t.webhookMessages} m using old o where m.lane = o.lane and m.id = o.id and m.state <> 'sending'
      returning m.lane, m.id
    ),
    attempts as (
      delete from ${t.webhookAttempts} a using gone g where a.lane = g.lane and a.message_id = g.id
    )
    select count(*) as deleted from gone`.execute(db);
  return rows[0]?.deleted ?? 0;
}

/** Deletes a webhook that people have deleted before an instant (epoch ms), once it has no messages. */
export async function forgetWebhook(db: Db, projectId: string, id: string, before: number): Promise<void> {
  await sql`
    delete from ${t.webhooks} w
    where w.id = ${id} and w.project_id = ${projectId} and w.deleted_at < ${before}
      and not exists (select from ${t.webhookMessages} m where m.webhook_id = w.id)`.execute(db);
}

/** Webhooks that are on, and for which more than `most` messages wait. */
export async function findFloodedAcrossProjects(
  db: Db,
  most: number,
): Promise<{ id: string; projectId: string }[]> {
  const { rows } = await sql<{ id: string; projectId: string }>`
    select w.id, w.project_id as "projectId" from ${t.webhooks} w
    where w.state = 'on' and ${openMessagesSql(most + 1)} > ${most}`.execute(db);
  return rows;
}
