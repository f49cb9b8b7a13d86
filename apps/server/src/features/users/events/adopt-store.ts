import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import {
  deltasCte,
  erasedEventFacts,
  erasedFirstFacts,
  firstEventFacts,
} from "../../counting/rollups/public.ts";

/** A stored event; `props` is JSON, `ts` when it happened and `recordedAt` when it arrived (epoch milliseconds). */
export type StoredEvent = {
  eventId: string;
  name: string;
  props: string | null;
  ts: number;
  recordedAt: number;
};

const eventsOf = (projectId: string, { lane, userKey }: UserRef) =>
  sql`lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}`;

/**
 * Locks the events of a user with the least ids, and after them the counts of that user and of another one, as all do that delete events.
 * No other transaction may write events of the user meanwhile. Answers their ids, fewer than `limit` where there are no others.
 */
export async function lockEventPage(
  tx: Db,
  projectId: string,
  { from, to, limit }: { from: UserRef; to: UserRef; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select event_id as id from ${t.events} where ${eventsOf(projectId, from)} order by event_id limit ${limit} for update`.execute(
    tx,
  );
  await sql`
    select from ${t.eventCounts}
    where (lane, user_key) in ((${from.lane}::int2, ${from.userKey}::uuid), (${to.lane}::int2, ${to.userKey}::uuid))
      and project_id = ${projectId}
    order by lane, user_key, name for update`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Deletes events of a user, which are locked, and subtracts them from every sum. Answers them. */
export async function takeEvents(
  tx: Db,
  projectId: string,
  user: UserRef,
  ids: readonly string[],
): Promise<StoredEvent[]> {
  const theirs = eventsOf(projectId, user);
  const gone = relation<"lane" | "project_id" | "name" | "props" | "ts">("gone");
  const left = relation<"lane" | "project_id" | "name">("left_names");
  const { rows } = await sql<StoredEvent>`
    with ${gone} as (
      delete from ${t.events} where ${theirs} and event_id = any(${ids}::text[])
      returning lane, project_id, event_id, name, props, ts, recorded_at
    ),
    fewer as (select name, count(*) as count from ${gone} group by name),
    lowered as (
      update ${t.eventCounts} c set count = c.count - f.count, history = least(c.history, c.count - f.count) from fewer f
      where ${theirs} and c.name = f.name and c.count > f.count
    ),
    ${left} as (
      delete from ${t.eventCounts} c using fewer f where ${theirs} and c.name = f.name and c.count <= f.count
      returning c.lane, c.project_id, c.name
    ),
    ${deltasCte(erasedEventFacts(gone), erasedFirstFacts(left)).ctes}
    select event_id as "eventId", name, props::text as props, ts, recorded_at as "recordedAt" from ${gone} order by event_id`.execute(
    tx,
  );
  return rows;
}

/**
 * Writes down that events of a user arrived when they did as a visitor's: who takes events out by that has each once. One that the user had
 * already keeps its own.
 */
export async function keepArrivals(
  tx: Db,
  projectId: string,
  user: UserRef,
  events: readonly Pick<StoredEvent, "eventId" | "recordedAt">[],
): Promise<void> {
  await sql`
    update ${t.events} e set recorded_at = moved.at
    from unnest(${events.map(({ eventId }) => eventId)}::text[], ${events.map(({ recordedAt }) => recordedAt)}::int8[]) moved (id, at)
    where ${eventsOf(projectId, user)} and e.event_id = moved.id`.execute(tx);
}

/** Has the transaction run again where events of a user are left: another one wrote some meanwhile. */
export async function requireNoEvents(tx: Db, projectId: string, user: UserRef): Promise<void> {
  await sql`
    select case when exists (select from ${t.eventCounts} where ${eventsOf(projectId, user)}) then raise_contention() end`.execute(
    tx,
  );
}

/**
 * Moves what is counted of a user's events that were deleted for their age to another user. The counts of both are locked; of the events that
 * are there, nothing changes.
 */
export async function moveRetired(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const theirs = eventsOf(projectId, from);
  const left = relation<"lane" | "project_id" | "name">("left_names");
  const counted = relation<"lane" | "project_id" | "name" | "is_first">("counted_names");
  await sql`
    with given as (select * from ${t.eventCounts} where ${theirs} and retired > 0),
    ${left} as (
      delete from ${t.eventCounts} c using given g
      where c.lane = g.lane and c.user_key = g.user_key and c.name = g.name and g.count = g.retired
      returning c.lane, c.project_id, c.name
    ),
    lowered as (
      update ${t.eventCounts} c
      set count = c.count - g.retired, history = least(c.history, c.count - g.retired), retired = 0, retired_until = null, retired_firsts = null
      from given g
      where c.lane = g.lane and c.user_key = g.user_key and c.name = g.name and g.count > g.retired
    ),
    ${counted} as (
      insert into ${t.eventCounts} as c
        (lane, user_key, name, project_id, count, history, first_at, last_at, retired, retired_until, retired_firsts)
      select ${to.lane}, ${to.userKey}, name, project_id, retired, least(history, retired), first_at,
        case when count = retired then last_at else retired_until end, retired, retired_until, retired_firsts
      from given order by name
      on conflict (lane, user_key, name) do update
        set count = c.count + excluded.count, history = c.history + excluded.history,
          first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at),
          retired = c.retired + excluded.retired, retired_until = greatest(c.retired_until, excluded.retired_until),
          retired_firsts = (
            select array_agg(distinct at order by at) from unnest(c.retired_firsts || excluded.retired_firsts) at
          )
      returning c.lane, c.project_id, c.name, c.xmax = 0 as is_first
    ),
    ${deltasCte(erasedFirstFacts(left), firstEventFacts(counted)).ctes}
    select`.execute(tx);
}

/**
 * Keeps what is known of a user's events that were deleted for their age before a visitor's deliveries came to the user: when the first and the
 * last of them happened. More of them may lie in windows of these deliveries; of those that did, nothing else is left.
 */
export async function keepFirstsForMerged(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<void> {
  await sql`
    update ${t.eventCounts} c set retired_firsts = (
      select array_agg(distinct at order by at) from unnest(c.retired_firsts || least(c.first_at, c.retired_until) || c.retired_until) at
    )
    where ${eventsOf(projectId, { lane, userKey })} and retired > 0`.execute(tx);
}
