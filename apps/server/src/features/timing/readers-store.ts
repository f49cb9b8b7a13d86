import { sql } from "kysely";
import type { DeliveryRef, UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { rowFilter } from "../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../platform/db/statements/sql-text.ts";
import { rowsStatement, valuesStatement } from "../../platform/db/statements/statement.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";
import { isOpen } from "../campaigns/authoring/public.ts";
import { ZONE_TRAIT } from "../content/template/template.pure.ts";
import { DELIVERY_COLUMNS, onDelivery, sameDelivery } from "../deliveries/public.ts";
import type { Borne } from "./pressure.pure.ts";

/** Tells the locks of readers from others that are taken by two numbers. */
const READERS = 7_403_007;

/**
 * Locks readers until the transaction ends, in the order of their keys: what leaves for one of them over two channels is decided one after the
 * other. The lock is of a hash, so that a few readers share one.
 */
export const lockReaders = valuesStatement<{ userKeys: readonly string[] }, Record<never, never>>(
  { name: "lock_readers", reach: "local" },
  { userKeys: "uuid[]" },
  ({ userKeys }) => `
  select pg_advisory_xact_lock(${READERS}, k.hash)
  from (select distinct hashtext(u::text) as hash from unnest(${userKeys}) u order by 1) k`,
);

/** A message that is due, and what its limits count: since when (epoch ms), over which channels. */
export type Pressing = DeliveryRef & {
  now: number;
  since: number;
  /** With commas between. */
  channels: string;
  priority: number;
  queuedAt: number;
};

/** For how long a message goes before others that could leave and did not: whatever is in its way must not be in theirs. */
const GOES_FIRST_MS = HOUR_MS;

/** SQL: the messages of the row `d` of deliveries that are on their way, or may have arrived without an answer, and since when. */
const ON_ITS_WAY = `(
  select case s.status when 'unknown' then (
      select a.started_at from ${t.emailAttempts} a where ${sameDelivery("a", "d")} and a.ordinal = s.attempts
    ) end as at, s.status::text as state
  from ${t.emailSends} s where ${sameDelivery("s", "d")} and ${rowFilter("s.status in ('sending', 'unknown')")}
  union all
  select case s.state when 'reserved' then null else s.at end, s.state::text
  from ${t.pushSlots} s
  where ${sameDelivery("s", "d")} and not s.is_test and ${rowFilter("s.state = 'reserved' or s.possible_submissions > 0")}
  order by at nulls first limit 1
)`;

/** SQL: a message of the row `d` of deliveries is due, and could leave. */
const isDueSql = (now: string): string => {
  const isRecent = (at: string) => `${at} <= ${now} and ${at} > ${now} - ${GOES_FIRST_MS}`;
  return `(
    exists (
      select from ${t.emailSends} s where ${sameDelivery("s", "d")} and ${rowFilter("s.status = 'waiting'")} and s.deferrals = 0 and ${isRecent("s.due_at")}
    ) or exists (
      select from ${t.pushSlots} s
      where ${sameDelivery("s", "d")} and not s.is_test and ${rowFilter("s.state = 'ready' or (s.state = 'waiting' and s.postponed_by is not null)")}
        and ${isRecent("s.at")}
    )
  )`;
};

/** SQL that follows `with input as (…)`, with the columns of `Pressing`. */
const PRESSURE = `
  select b.borne, a.ahead, coalesce(o.sent_at is not null, false) as "hasLeft"
  from input i
  left join ${t.deliveries} o on ${onDelivery("o", "i")}
  cross join lateral (
    select json_agg(json_build_object('at', coalesce(d.sent_at, w.at), 'channel', c.channel, 'topicId', c.topic_id)) as borne
    from ${t.deliveries} d
    join ${t.campaigns} c on c.id = d.campaign_id and c.purpose = 'marketing' and c.channel::text = any(string_to_array(i.channels, ','))
    left join lateral ${ON_ITS_WAY} w on d.sent_at is null and d.state in ('queued', 'sending', 'retryable')
    where d.lane = i.lane and d.user_key = i.user_key and d.project_id = i.project_id and not (${sameDelivery("d", "i")})
      and (d.sent_at > i.since or w.at > i.since or (w.state is not null and w.at is null))
  ) b
  cross join lateral (
    select count(*)::int4 as ahead
    from ${t.deliveries} d
    join ${t.campaigns} c on c.id = d.campaign_id and c.purpose = 'marketing' and c.channel::text = any(string_to_array(i.channels, ','))
      and ${isOpen("c", "i.now")}
    where d.lane = i.lane and d.user_key = i.user_key and d.project_id = i.project_id and not (${sameDelivery("d", "i")})
      and d.sent_at is null and d.state in ('queued', 'retryable')
      and (c.priority > i.priority or (c.priority = i.priority and (d.queued_at, d.campaign_id) < (i.queued_at, i.campaign_id)))
      and ${isDueSql("i.now")}
  ) a
  order by i.ord`;

/** What a reader bears for whom a message is due; `borne` is null for nothing. */
type PressureRow = { borne: Borne[] | null; ahead: number; hasLeft: boolean };

/**
 * What readers bear for whom messages are due: one row for each, in order. Messages of campaigns count that they got, or that are on their way to
 * them; `ahead` are those that are due as well and go first. Needs the locks of the readers, taken by a statement before.
 */
export const readPressure = rowsStatement<Pressing, PressureRow>(
  { name: "read_pressure", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    now: "int8",
    since: "int8",
    channels: "text",
    priority: "int2",
    queuedAt: "int8",
  },
  PRESSURE,
);

/** The same of one reader, at the instant that `db` reads at. */
export async function readPressureAt(db: Db, pressing: Pressing): Promise<PressureRow | null> {
  const { lane, userKey, campaignId, occasion, projectId, now, since, channels, priority, queuedAt } =
    pressing;
  const { rows } = await sql<PressureRow>`
    with input as (
      select ${lane}::int2 as lane, ${userKey}::uuid as user_key, ${campaignId}::uuid as campaign_id, ${occasion}::int4 as occasion,
        ${projectId}::uuid as project_id, ${now}::int8 as now, ${since}::int8 as since, ${channels}::text as channels,
        ${priority}::int2 as priority, ${queuedAt}::int8 as queued_at, 1 as ord
    )${sql.raw(PRESSURE)}`.execute(db);
  return rows[0] ?? null;
}

/** SQL: the time zone in the traits of the user `u`; null where there is none. */
export const zoneOfSql = (u: string): SqlText => sqlText(`${u}.traits ->> '${ZONE_TRAIT}'`);

/** The time zones that readers have in their traits, by their keys; of those who have one. */
export const readZones = rowsStatement<UserRef & { projectId: string }, { userKey: string; zone: string }>(
  { name: "read_time_zones", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid" },
  `
  select u.user_key as "userKey", ${zoneOfSql("u")} as zone from input i
  join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
  where ${zoneOfSql("u")} is not null`,
);
