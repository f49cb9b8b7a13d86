import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { FAILING_MS } from "../rules.ts";

/** Webhooks of which messages end, in one order, so that two processes that end some never wait for each other. */
export const lockWebhooks = rowsStatement<{ id: string; projectId: string }, { id: string }>(
  { name: "lock_webhooks", reach: "config" },
  { id: "uuid", projectId: "uuid" },
  ` select w.id from input i join ${t.webhooks} w on w.id = i.id and w.project_id = i.project_id
  order by w.id for no key update of w`,
);

/** What became of a message by an attempt, or by none (`at` is null): then it waits as before. Instants are epoch milliseconds. */
export type MessageOutcome = {
  lane: number;
  id: string;
  webhookId: string;
  projectId: string;
  leaseOwner: string;
  state: "delivered" | "waiting" | "given_up";
  dueAt: number | null;
  at: number | null;
  tookMs: number | null;
  status: number | null;
  answer: string | null;
  fault: string | null;
};

/**
 * SQL of the object of a message `m` that has ended by an outcome `i`. What waits about a user who was erased keeps its object, so that it
 * comes before what is about a new user of the same id; the key of that user could be computed from it.
 */
const forgettingObject = `case when i.state <> 'waiting' and m.type like 'user.%' and m.user_key is null
        then (left(m.object::text, 2) || substr(gen_random_uuid()::text, 3))::uuid else m.object end`;

/**
 * Records attempts, and moves their messages. Only what is still leased by the owner that is named counts. After a message that has ended,
 * the next one about its object is due. Needs the lock of `lockWebhooks`.
 */
export const endMessages = rowsStatement<MessageOutcome, { id: string }>(
  { name: "end_webhook_messages", reach: "all lanes" },
  {
    lane: "int2",
    id: "uuid",
    webhookId: "uuid",
    projectId: "uuid",
    leaseOwner: "uuid",
    state: "text",
    dueAt: "int8",
    at: "int8",
    tookMs: "int4",
    status: "int4",
    answer: "text",
    fault: "text",
  },
  `,
  moved as (
    update ${t.webhookMessages} m
    set state = i.state, due_at = i.due_at, object = ${forgettingObject}, lease_owner = null, leased_until = null,
      tries = m.tries + (i.at is not null)::int, attempts = m.attempts + (i.at is not null)::int,
      ended_at = case when i.state <> 'waiting' then i.at end,
      -- It names somebody who was erased, for as long as it is needed to pass that on.
      data = case when i.state <> 'waiting' and m.type = 'user.erased' then null else m.data end
    from input i join ${t.webhookMessages} o on o.lane = i.lane and o.id = i.id
    where m.lane = i.lane and m.id = i.id and m.webhook_id = i.webhook_id and m.project_id = i.project_id
      and case when m.state = 'sending' then m.lease_owner = i.lease_owner end
    returning m.lane, m.id, m.webhook_id, m.project_id, o.object, m.state, m.attempts, i.at, i.took_ms, i.status, i.fault,
      -- Who was erased may be named in what was answered.
      case when m.user_key is not null or m.address_key is not null or m.type !~ '^(delivery|user|address)[.]' then i.answer end as answer
  ),
  logged as (
    insert into ${t.webhookAttempts} (lane, message_id, ordinal, webhook_id, project_id, attempted_at, took_ms, status, answer, fault)
    select lane, id, attempts, webhook_id, project_id, at, took_ms, status, answer, fault from moved where at is not null
  ),
  followers as (
    select e.lane, (
        select f.id from ${t.webhookMessages} f
        where f.webhook_id = e.webhook_id and f.object = e.object and f.id > e.id and f.state in ('waiting', 'sending')
        order by f.id limit 1
      ) as id, e.state = 'given_up' as is_gap
    from moved e where e.state <> 'waiting'
  ),
  released as (
    update ${t.webhookMessages} m set due_at = coalesce(m.due_at, 0), gap_before = m.gap_before or f.is_gap
    from followers f where m.lane = f.lane and m.id = f.id and case when m.state = 'waiting' then true end
  )
  select id from moved`,
);

/** What attempts say of a webhook: whether one succeeded, or why the last one failed. Instants are epoch milliseconds. */
export type WebhookNews = {
  id: string;
  projectId: string;
  succeededAt: number | null;
  failedAt: number | null;
  fault: string | null;
  isGone: boolean;
  now: number;
};

/** How often it is written down that a webhook works which worked before. */
const SUCCESS_EVERY_MS = 60_000;

/**
 * Writes down whether webhooks work, and switches those off that are gone, or to which nothing has come for `FAILING_MS`.
 */
export const writeNews = rowsStatement<WebhookNews, Record<never, never>>(
  { name: "write_webhook_news", reach: "config" },
  {
    id: "uuid",
    projectId: "uuid",
    succeededAt: "int8",
    failedAt: "int8",
    fault: "text",
    isGone: "bool",
    now: "int8",
  },
  `,
  judged as (
    select i.*, case
        when i.succeeded_at is not null then null
        when w.failing_since is null or w.failing_since > i.failed_at then i.failed_at
        else w.failing_since
      end as since
    from input i join ${t.webhooks} w on w.id = i.id and w.project_id = i.project_id
    where i.succeeded_at is null or i.is_gone or w.failing_since is not null or w.succeeded_at is null
      or abs(i.succeeded_at - w.succeeded_at) >= ${SUCCESS_EVERY_MS}
  ),
  decided as (
    select *, case when is_gone then 'gone' when since <= failed_at - ${FAILING_MS} then 'failing' end as off_because from judged
  )
  update ${t.webhooks} w
  set succeeded_at = coalesce(d.succeeded_at, w.succeeded_at), failed_at = coalesce(d.failed_at, w.failed_at),
    failing_since = d.since, fault = case when d.since is null then null else coalesce(d.fault, w.fault) end,
    state = case when d.off_because is null then w.state else 'off' end,
    off_because = case when w.state = 'off' then w.off_because else d.off_because end,
    off_at = case when w.state = 'on' and d.off_because is not null then d.now else w.off_at end
  from decided d where w.id = d.id and w.project_id = d.project_id`,
);
