import { sql } from "kysely";
import type pg from "pg";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { DueQueue, Reaping } from "../../../platform/outbound/channel.ts";
import { dueAtSql, farAheadSql, type Look } from "../../../platform/time/far-ahead.ts";
import { LEASE_MS, LONGEST_WAIT_MS } from "../rules.ts";

/** How often a webhook is looked at that has nothing due: what is written by requests wakes no loop. */
const LOOK_MS = 1_000;

/** Webhooks that are on, with when their next message is due. One that has none is looked at soon. */
export async function findDueWebhooksAcrossProjects(db: Db, { now, until }: Look): Promise<DueQueue[]> {
  const dueAt = withValue((at) => dueAtSql("m.due_at", at, LONGEST_WAIT_MS), now);
  const { rows } = await sql<DueQueue>`
    select w.project_id as "projectId", w.id as "queueId", least(first.due_at, ${now + LOOK_MS}) as "dueAt"
    from ${t.webhooks} w left join lateral (
      select ${dueAt} as due_at from ${t.webhookMessages} m
      where m.webhook_id = w.id and m.state = 'waiting' and m.due_at is not null
      order by m.due_at, m.id limit 1
    ) first on true
    where w.state = 'on' and least(first.due_at, ${now + LOOK_MS}) <= ${until}
    order by 2`.execute(db);
  return rows;
}

/** How a webhook is to be called; null where it is off. */
export type CalledWebhook = {
  url: string;
  sealed: Buffer;
  formerSealed: Buffer | null;
  formerUntil: number | null;
  failingSince: number | null;
};

export async function readCalled(db: Db, projectId: string, id: string): Promise<CalledWebhook | null> {
  const row = await db
    .selectFrom("webhooks")
    .select(["url", "sealed", "formerSealed", "formerUntil", "failingSince"])
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .where("state", "=", "on")
    .executeTakeFirst();
  return row === undefined || row.sealed === null ? null : { ...row, sealed: row.sealed };
}

/** Locks a webhook, so that no other process leases or ends messages of it. Answers nothing where it is off. */
export const lockCalled = valuesStatement<{ projectId: string; id: string }, { isOn: true }>(
  { name: "lock_called_webhook", reach: "config" },
  { projectId: "uuid", id: "uuid" },
  ({ projectId, id }) => `
  select true as "isOn" from ${t.webhooks} where id = ${id} and project_id = ${projectId} and state = 'on' for no key update`,
);

/** A message that is leased. Instants are epoch milliseconds. */
export type LeasedRow = {
  lane: number;
  id: string;
  type: string;
  happenedAt: number;
  userKey: string | null;
  campaignId: string | null;
  occasion: number | null;
  variantId: string | null;
  addressKey: string | null;
  data: Record<string, unknown> | null;
  gapBefore: boolean;
  tries: number;
};

type Leasing = {
  projectId: string;
  webhookId: string;
  leaseOwner: string;
  leasedUntil: number;
  now: number;
  limit: number;
};

/**
 * Leases messages of a webhook that are due, the longest due first. One that came after another message about its object, which has not
 * ended, is put aside until that one has. `looked`: the number of both. Needs the lock of `lockCalled`.
 */
export const leaseMessages = valuesStatement<Leasing, LeasedRow & { looked: number }>(
  { name: "lease_webhook_messages", reach: "all lanes" },
  {
    projectId: "uuid",
    webhookId: "uuid",
    leaseOwner: "uuid",
    leasedUntil: "int8",
    now: "int8",
    limit: "int4",
  },
  ({ projectId, webhookId, leaseOwner, leasedUntil, now, limit }) => {
    const dueIn = (range: string): string => `
      select m.lane, m.id, m.object from ${t.webhookMessages} m
      where m.webhook_id = ${webhookId} and m.project_id = ${projectId} and m.state = 'waiting' and ${range}
      order by m.due_at, m.id`;
    return `
  with at_their_instant as materialized (${dueIn(`m.due_at <= ${now}`)} limit ${limit}),
  far_ahead as materialized (
    ${dueIn(farAheadSql("m.due_at", now, LONGEST_WAIT_MS))} limit ${limit} - (select count(*) from at_their_instant)
  ),
  due as materialized (select * from at_their_instant union all select * from far_ahead),
  judged as materialized (
    select d.lane, d.id, exists (
      select from ${t.webhookMessages} e
      where e.webhook_id = ${webhookId} and e.object = d.object and e.id < d.id and e.state in ('waiting', 'sending')
    ) as waits from due d
  ),
  put_aside as (
    update ${t.webhookMessages} m set due_at = null from judged j where m.lane = j.lane and m.id = j.id and j.waits
  ),
  leased as (
    update ${t.webhookMessages} m set state = 'sending', lease_owner = ${leaseOwner}, leased_until = ${leasedUntil}
    from judged j where m.lane = j.lane and m.id = j.id and not j.waits
    returning m.*
  )
  select l.lane, l.id, l.type, l.happened_at as "happenedAt", l.user_key as "userKey", l.campaign_id as "campaignId", l.occasion, l.variant_id as "variantId",
    l.address_key as "addressKey", l.data, l.gap_before as "gapBefore", l.tries, d.looked::int4
  from (select count(*) as looked from due) d left join leased l on true
  order by l.id`;
  },
);

/** A lease that is over, or whose process is gone. */
export type LostMessage = {
  projectId: string;
  webhookId: string;
  lane: number;
  id: string;
  leaseOwner: string;
};

type Losing = Pick<Reaping<unknown>, "now" | "reapable" | "leaseOwner" | "isLeasing" | "busy" | "limit"> & {
  ids: readonly string[];
};

const findLostRows = valuesStatement<Losing, LostMessage>(
  { name: "find_lost_webhook_messages", reach: "all lanes" },
  {
    now: "int8",
    reapable: "uuid",
    leaseOwner: "uuid",
    isLeasing: "bool",
    ids: "uuid[]",
    limit: "int4",
    busy: "uuid[]",
  },
  ({ now, reapable, leaseOwner, isLeasing, ids, limit, busy }) => `
  select m.project_id as "projectId", m.webhook_id as "webhookId", m.lane, m.id, m.lease_owner as "leaseOwner" from ${t.webhookMessages} m
  where m.state = 'sending' and case when m.lease_owner = ${leaseOwner} then
    (m.leased_until < ${now} or (not ${isLeasing} and ${farAheadSql("m.leased_until", now, LEASE_MS)})) and m.id <> all(${ids})
    else (m.leased_until < ${now} or m.lease_owner <> ${reapable}) and not exists (
      select from ${t.processes} p where p.lease_owner = m.lease_owner
    ) end and m.project_id <> all(${busy})
  limit ${limit}`,
);

/** Lost leases of all projects: those of owners that no process has, and those of this process that it is not sending. */
export const findLostAcrossProjects = (
  pool: pg.Pool,
  { inFlight, ...reaping }: Reaping<{ id: string }>,
): Promise<LostMessage[]> => findLostRows(pool, { ...reaping, ids: inFlight.map(({ id }) => id) });
