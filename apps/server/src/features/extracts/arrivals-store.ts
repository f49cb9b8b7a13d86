import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { inIndexOrder } from "../../platform/db/in-index-order.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { type EventRow, toEvent } from "../users/events/public.ts";
import type { ListedEvent } from "./events-store.ts";
import type { RowPage } from "./walk.ts";

/**
 * Events that one statement reads whole, each with up to 4 KB of properties: with fewer, more statements look through all of the index of arrivals.
 * Beside requests it is so few that none waits long while they are taken in.
 */
const EVENTS = 2_000;
const EVENTS_BESIDE_REQUESTS = 250;

/** An event with when it arrived: was recorded here, by the clock of the database (epoch ms); 0 where that was not written down yet. */
export type ArrivedEvent = ListedEvent & { recordedAt: number };

/** The event that was read last, by the instant that a list goes by, and its id. */
type ReadTo = { at: number; eventId: string };

/**
 * How far a list is: all before the instant `at` (epoch ms), and of that instant what comes up to `last`. `widthMs`: how many milliseconds
 * the next statement looks at, so that it finds about as many events as it may read.
 */
export type ArrivalPlace = { at: number; last: ReadTo | null; widthMs: number };

/** Events of a project that were recorded from `since` on (epoch ms; null: all that are there) until before `until`. */
export type Arrivals = { projectId: string; since: number | null; until: number };

type Row = EventRow & { recordedAt: number; at: number };

/**
 * SQL: rows behind the last one that was read. A list goes by what stays when a visitor's event becomes a user's, and by nothing else: so a
 * statement reads all events of one instant that have the same id, of different users, or none of them.
 */
const isBehind = (column: "ts" | "recorded_at", { at, eventId }: ReadTo) =>
  sql`(${sql.ref(column)}, event_id) > (${at}::int8, ${eventId}::text)`;

/**
 * The events of a window of time by when they happened or arrived, in one statement, so that no event is in it twice or not at all which becomes
 * another user's meanwhile. An event of a visitor who has become a user is that user's, even where it was not moved yet.
 */
async function readSlice(
  db: Db,
  { projectId, since, until }: Arrivals,
  { at, last, widthMs }: ArrivalPlace,
  most: number,
): Promise<Row[]> {
  const column = since === null ? "ts" : "recorded_at";
  const conditions = [
    sql`project_id = ${projectId}`,
    sql`${sql.ref(column)} >= ${at}`,
    ...(since === null
      ? [sql`recorded_at < ${until}`]
      : [sql`${sql.ref(column)} < ${Math.min(until, at + widthMs)}`]),
    ...(last === null ? [] : [isBehind(column, last)]),
  ];
  const statement = sql<Row>`
    select coalesce(l.to_user_key, e.user_key) as "userKey", e.event_id as "eventId", e.ts, e.name, e.props,
      e.recorded_at as "recordedAt", ${sql.ref(`e.${column}`)} as at, coalesce(u.external_id, v.external_id) as "externalId"
    from (
      select * from ${t.events} where ${sql.join(conditions, sql` and `)}
      order by ${sql.ref(column)}, event_id fetch first ${most} rows with ties
    ) e
    left join lateral (
      select user_key, external_id from ${t.users} where lane = e.lane and user_key = e.user_key order by user_key limit 1
    ) u on true
    left join lateral (
      select to_lane, to_user_key from ${t.identities}
      where u.user_key is null and lane = e.lane and user_key = e.user_key order by user_key limit 1
    ) l on true
    left join lateral (
      select external_id from ${t.users} where lane = l.to_lane and user_key = l.to_user_key order by user_key limit 1
    ) v on true
    order by ${sql.ref(`e.${column}`)}, e.event_id, e.lane, e.user_key`;
  // By when they happened there is an index in that order; by when they arrived there is one of blocks, which only a bitmap can use.
  const { rows } =
    since === null ? await inIndexOrder(db, (tx) => statement.execute(tx)) : await statement.execute(db);
  return rows;
}

/** How far a window that is not begun is. */
export const beginningOf = ({ since, until }: Arrivals): ArrivalPlace => ({
  at: since ?? 0,
  last: null,
  widthMs: since === null ? 1 : Math.max(1, until - since),
});

/** Where a list goes on behind a statement that has read `rows`; null at the end. */
function nextPlace(
  { since, until }: Arrivals,
  { at, widthMs }: ArrivalPlace,
  rows: readonly Row[],
  most: number,
): ArrivalPlace | null {
  const last = rows.at(-1);
  if (last !== undefined && rows.length >= most) {
    return {
      at: last.at,
      last: { at: last.at, eventId: last.eventId },
      widthMs: Math.max(1, last.at - at),
    };
  }
  const end = at + widthMs;
  if (since === null || end >= until) return null;
  return { at: end, last: null, widthMs: 2 * widthMs };
}

/** The next events of a window, by when they arrived; those of before the first window by when they happened. So many are read, however many there are. */
export async function nextArrivals(
  db: Db,
  arrivals: Arrivals,
  place: ArrivalPlace,
  isQuiet: boolean,
): Promise<RowPage<ArrivedEvent, ArrivalPlace>> {
  const most = isQuiet ? EVENTS : EVENTS_BESIDE_REQUESTS;
  const rows = await readSlice(db, arrivals, place, most);
  return {
    // The events of users who are being erased go on without them.
    rows: rows
      .filter(({ externalId }) => externalId !== null)
      .map((row) => ({ ...toEvent(row), eventId: row.eventId, recordedAt: row.recordedAt })),
    next: nextPlace(arrivals, place, rows, most),
  };
}
