import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { MessageState } from "./schema.ts";

type Row = Selectable<Tables["webhooks"]>;

/** A webhook that was not deleted. */
export type WebhookRow = Omit<Row, "deletedAt" | "alertedAt">;

/** A webhook with the number of messages that wait for it, up to one more than are counted. */
export type CountedWebhook = WebhookRow & { waiting: number };

/** More messages than this wait: the webhook is switched off. */
export const MOST_WAITING = 1_000_000;

/** Messages that wait are counted up to so many: all of them may be a million, and this is read with each request about a webhook. */
const MOST_COUNTED = 10_000;

/** SQL of how many messages wait or leave of the webhook `w`, up to a number. It reads no others, however many there are. */
export const openMessagesSql = (most: number) => sql`(
    select least(count(*), ${most}) from (values ('waiting'), ('sending')) s (state) cross join lateral (
      select from ${t.webhookMessages} m where m.webhook_id = w.id and m.state = s.state order by m.id limit ${most}
    ) open
  )`;

const COLUMNS = sql`
  w.id, w.project_id as "projectId", w.url, w.description, w.types, w.state, w.off_because as "offBecause", w.off_at as "offAt", w.sealed,
  w.former_sealed as "formerSealed", w.former_until as "formerUntil", w.failing_since as "failingSince",
  w.succeeded_at as "succeededAt", w.failed_at as "failedAt", w.fault, w.made_by as "madeBy", w.made_at as "madeAt", w.changed_at as "changedAt"`;

/** Counts rows, so that only what people look at says it. */
const WAITING = sql`${openMessagesSql(MOST_COUNTED + 1)} as waiting`;

/** The webhooks of a project, in the order in which they were made. */
export async function listWebhookRows(db: Db, projectId: string): Promise<CountedWebhook[]> {
  const { rows } = await sql<CountedWebhook>`
    select ${COLUMNS}, ${WAITING} from ${t.webhooks} w where w.project_id = ${projectId} and w.deleted_at is null
    order by w.made_at, w.id`.execute(db);
  return rows;
}

export async function countWebhooks(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${t.webhooks} w where w.project_id = ${projectId} and w.deleted_at is null`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export async function findCountedWebhook(
  db: Db,
  projectId: string,
  id: string,
): Promise<CountedWebhook | null> {
  const { rows } = await sql<CountedWebhook>`
    select ${COLUMNS}, ${WAITING} from ${t.webhooks} w
    where w.id = ${id} and w.project_id = ${projectId} and w.deleted_at is null`.execute(db);
  return rows[0] ?? null;
}

export async function findWebhook(db: Db, projectId: string, id: string): Promise<WebhookRow | null> {
  const { rows } = await sql<WebhookRow>`
    select ${COLUMNS} from ${t.webhooks} w
    where w.id = ${id} and w.project_id = ${projectId} and w.deleted_at is null`.execute(db);
  return rows[0] ?? null;
}

/** Locks a webhook until the transaction ends, so that no message of it is leased or ended meanwhile. */
export async function lockWebhook(db: Db, projectId: string, id: string): Promise<void> {
  await db
    .selectFrom("webhooks")
    .select("id")
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .forNoKeyUpdate()
    .execute();
}

/** What is set of a new webhook. `at` is epoch milliseconds. */
export type NewWebhook = {
  id: string;
  url: string;
  description: string | null;
  types: readonly string[];
  sealed: Buffer;
  by: string;
  at: number;
};

export async function insertWebhook(
  db: Db,
  projectId: string,
  { id, url, description, types, sealed, by, at }: NewWebhook,
): Promise<void> {
  await db
    .insertInto("webhooks")
    .values({
      id,
      projectId,
      url,
      description,
      types: [...types],
      state: "on",
      offBecause: null,
      sealed,
      madeBy: by,
      madeAt: at,
      changedAt: at,
    })
    .execute();
}

/** What a change sets; what is left out stays. */
export type WebhookChange = {
  url?: string | undefined;
  description?: string | null | undefined;
  types?: readonly string[];
};

export async function changeWebhookRow(
  db: Db,
  projectId: string,
  id: string,
  { types, ...change }: WebhookChange,
  now: number,
): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({ ...change, ...(types === undefined ? {} : { types: [...types] }), changedAt: now })
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .where("deletedAt", "is", null)
    .execute();
}

/** The most messages that leave at once when a webhook is switched on, whatever their schedule says. */
const ROUSED = 10_000;

/** Switches a webhook on: what waits leaves. Failures of before count no more. */
export async function switchOn(db: Db, projectId: string, id: string, now: number): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({
      state: "on",
      offBecause: null,
      offAt: null,
      failingSince: null,
      fault: null,
      alertedAt: null,
      changedAt: now,
    })
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .where("state", "=", "off")
    .where("sealed", "is not", null)
    .where("deletedAt", "is", null)
    .execute();
  await sql`
    update ${t.webhookMessages} m set due_at = 0
    from (
      select f.lane, f.id from ${t.webhookMessages} f
      where f.webhook_id = ${id} and f.project_id = ${projectId} and f.state = 'waiting' and f.due_at > ${now}
      order by f.due_at, f.id limit ${ROUSED}
    ) first
    where m.lane = first.lane and m.id = first.id`.execute(db);
}

/** A webhook that is off for a fault. */
export type FaultyWebhook = { projectId: string; url: string; offBecause: "gone" | "failing" | "flooded" };

/** The same, as its project shows it. `name` is what people call it; `offAt` is epoch milliseconds. */
type NamedFaultyWebhook = Pick<FaultyWebhook, "offBecause"> & { id: string; name: string; offAt: number };

/** The webhooks of a project that a fault has switched off, the latest first. */
export async function listFaultyWebhooks(
  db: Db,
  projectId: string,
  limit: number,
): Promise<NamedFaultyWebhook[]> {
  const { rows } = await sql<NamedFaultyWebhook>`
    select w.id, coalesce(w.description, w.url) as name, w.off_because as "offBecause", coalesce(w.off_at, w.changed_at) as "offAt"
    from ${t.webhooks} w
    where w.project_id = ${projectId} and w.deleted_at is null and w.off_because in ('gone', 'failing', 'flooded')
    order by 4 desc, w.id limit ${limit}`.execute(db);
  return rows;
}

/** Takes the mails to owners that are to be sent of webhooks which are off for a fault: each is answered once. `now` is epoch milliseconds. */
export async function takeFaultAlertsAcrossProjects(db: Db, now: number): Promise<FaultyWebhook[]> {
  const { rows } = await sql<FaultyWebhook>`
    update ${t.webhooks} set alerted_at = ${now}
    where state = 'off' and off_because in ('gone', 'failing', 'flooded') and alerted_at is null and deleted_at is null
    returning project_id as "projectId", url, off_because as "offBecause"`.execute(db);
  return rows;
}

export async function switchOff(
  db: Db,
  projectId: string,
  id: string,
  { because, now }: { because: "person" | "flooded"; now: number },
): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({ state: "off", offBecause: because, offAt: now, changedAt: now })
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .where("state", "=", "on")
    .execute();
}

/** Makes messages due that wait for an earlier one which is not there any more. */
export async function unblock(db: Db, projectId: string, id: string): Promise<void> {
  await sql`
    update ${t.webhookMessages} m set due_at = 0
    where m.webhook_id = ${id} and m.project_id = ${projectId} and m.state = 'waiting' and m.due_at is null and not exists (
      select from ${t.webhookMessages} e
      where e.webhook_id = m.webhook_id and e.object = m.object and e.id < m.id and e.state in ('waiting', 'sending')
    )`.execute(db);
}

/** Gives a webhook another secret. The present one signs beside it until `formerUntil` (epoch ms). */
export async function replaceSecret(
  db: Db,
  projectId: string,
  id: string,
  { sealed, formerUntil, now }: { sealed: Buffer; formerUntil: number; now: number },
): Promise<void> {
  await sql`
    update ${t.webhooks}
    set former_sealed = sealed, former_until = case when sealed is null then null else ${formerUntil}::int8 end, sealed = ${sealed},
      changed_at = ${now}
    where id = ${id} and project_id = ${projectId} and deleted_at is null`.execute(db);
}

/** Deletes a webhook: it gets nothing from now on. Its messages are deleted by and by. */
export async function removeWebhook(db: Db, projectId: string, id: string, now: number): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({
      state: "off",
      offBecause: "person",
      offAt: now,
      deletedAt: now,
      sealed: null,
      formerSealed: null,
      formerUntil: null,
    })
    .where("id", "=", id)
    .where("projectId", "=", projectId)
    .execute();
}

export type MessageRow = {
  id: string;
  type: string;
  happenedAt: number;
  state: string;
  dueAt: number | null;
  attempts: number;
  gapBefore: boolean;
  replayedAt: number | null;
  endedAt: number | null;
  lastAt: number | null;
  lastStatus: number | null;
  lastFault: string | null;
};

/** Which messages are meant; ids are UUIDs. `before`: those that came before this one. */
type MessageFilter = { state: MessageState | undefined; before: string | null; id?: string };

/** Messages of a webhook, newest first: the first ones of each state that is meant, and of these the newest, however many there are of a state. */
export async function listMessages(
  db: Db,
  projectId: string,
  webhookId: string,
  { state, before, id }: MessageFilter,
  limit: number,
): Promise<MessageRow[]> {
  const states = state === undefined ? MessageState.options : [state];
  const { rows } = await sql<MessageRow>`
    with page as materialized (
      select m.* from unnest(${states}::text[]) s cross join lateral (
        select o.* from ${t.webhookMessages} o
        where o.webhook_id = ${webhookId} and o.project_id = ${projectId} and o.state = s
          and ${before === null ? sql`true` : sql`o.id < ${before}`} and ${id === undefined ? sql`true` : sql`o.id = ${id}`}
        order by o.id desc limit ${limit}
      ) m
      order by m.id desc limit ${limit}
    )
    select m.id, m.type, m.happened_at as "happenedAt", m.state, m.due_at as "dueAt", m.attempts, m.gap_before as "gapBefore",
      m.replayed_at as "replayedAt", m.ended_at as "endedAt", a.attempted_at as "lastAt", a.status as "lastStatus", a.fault as "lastFault"
    from page m
    left join ${t.webhookAttempts} a on a.lane = m.lane and a.message_id = m.id and a.ordinal = m.attempts
    order by m.id desc`.execute(db);
  return rows;
}

export type AttemptRow = {
  at: number;
  ms: number;
  status: number | null;
  answer: string | null;
  fault: string | null;
};

/** The requests that carried a message, newest first. */
export async function listAttempts(
  db: Db,
  projectId: string,
  { webhookId, id }: { webhookId: string; id: string },
  limit: number,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select a.attempted_at as at, a.took_ms as ms, a.status, a.answer, a.fault
    from ${t.webhookAttempts} a
    join ${t.webhookMessages} m on m.lane = a.lane and m.id = a.message_id
    where m.webhook_id = ${webhookId} and m.id = ${id} and m.project_id = ${projectId}
    order by a.ordinal desc limit ${limit}`.execute(db);
  return rows;
}

/**
 * Which messages are sent once more: one, or those that happened from `since` on and before `until` and have ended in some state, of those that
 * came after another one (`after`).
 */
export type ReplayChoice =
  | { id: string }
  | { since: number; until: number; state: "delivered" | "given_up"; after: string | null };

/** Has at most `limit` messages that have ended sent once more, the first ones first. Answers how many, and the last one. */
export async function replayMessages(
  tx: Db,
  projectId: string,
  webhookId: string,
  chosen: ReplayChoice,
  { now, limit }: { now: number; limit: number },
): Promise<{ replayed: number; last: string | null }> {
  const which =
    "id" in chosen
      ? sql`m.id = ${chosen.id} and m.state in ('delivered', 'given_up')`
      : sql`m.state = ${chosen.state} and m.happened_at >= ${chosen.since} and m.happened_at < ${chosen.until}
          and ${chosen.after === null ? sql`true` : sql`m.id > ${chosen.after}`}`;
  const { rows } = await sql<{ replayed: number; last: string | null }>`
    with chosen as materialized (
      select m.lane, m.id from ${t.webhookMessages} m
      where m.webhook_id = ${webhookId} and m.project_id = ${projectId} and ${which}
      order by m.id limit ${limit}
    ),
    changed as (
      update ${t.webhookMessages} m set state = 'waiting', due_at = 0, tries = 0, replayed_at = ${now}, ended_at = null
      from chosen c where m.lane = c.lane and m.id = c.id
      returning m.id
    )
    select count(*) as replayed, (select id from chosen order by id desc limit 1) as last from changed`.execute(
    tx,
  );
  return rows[0] ?? { replayed: 0, last: null };
}
