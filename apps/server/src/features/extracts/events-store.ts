import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import { containing } from "../../platform/db/containing.ts";
import type { Db } from "../../platform/db/db.ts";
import { inIndexOrder } from "../../platform/db/in-index-order.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { type EventRow, toEvent } from "../users/events/public.ts";
import type { Event } from "../users/events/schema.ts";
import type { RowPage } from "./walk.ts";

/** Events that one statement reads whole: each may have 4 KB of properties. */
const EVENTS = 1_000;

/**
 * Events whose places are read at once. The index has the instants of events and nothing behind them, so that all events of one instant are
 * read each time that a page begins or ends within it: once for so many, and not for each page.
 */
const PLACES = 20_000;

/** Which events are meant; instants are epoch milliseconds, and included. `users`: an event is of all that are named. */
export type ChosenEvents = {
  since: number | undefined;
  until: number;
  name: string | undefined;
  q: string | undefined;
  users: readonly UserRef[];
};

export type EventPlace = UserRef & { ts: number; eventId: string };

/** An event with the id that its sender gave it, by which it is known again where it is brought in. */
export type ListedEvent = Event & { eventId: string };

type JudgedPlace = EventPlace & { isMeant: boolean };

/** How far a list is: the place that was read last, and those that come next; there are no more where `isLast`. */
export type EventProgress = { last: EventPlace; ahead: readonly JudgedPlace[]; isLast: boolean };

/** The next places by time. The instant, the id and the name of an event never change, so that none is passed over or had twice. */
async function nextPlaces(
  db: Db,
  projectId: string,
  { since, until, name, q, users }: ChosenEvents,
  after: EventPlace | undefined,
): Promise<JudgedPlace[]> {
  const isMeant = [
    sql`true`,
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(q === undefined ? [] : [sql`name ilike ${containing(q)}`]),
  ];
  const conditions = [
    sql`project_id = ${projectId} and ts <= ${until}`,
    ...(since === undefined ? [] : [sql`ts >= ${since}`]),
    ...(after === undefined
      ? []
      : [
          sql`ts >= ${after.ts} and (ts, lane, user_key, event_id)
            > (${after.ts}::int8, ${after.lane}::int2, ${after.userKey}::uuid, ${after.eventId}::text)`,
        ]),
    ...users.map(({ lane, userKey }) => sql`lane = ${lane} and user_key = ${userKey}`),
  ];
  const statement = sql<JudgedPlace>`
    select ts, lane, user_key as "userKey", event_id as "eventId", ${sql.join(isMeant, sql` and `)} as "isMeant" from ${t.events}
    where ${sql.join(conditions, sql` and `)} order by ts, lane, user_key, event_id limit ${PLACES}`;
  const { rows } = await inIndexOrder(db, (tx) => statement.execute(tx));
  return rows;
}

/**
 * The events at some places, in their order: those that are there still, of users who are known. Each is found before its project is looked at:
 * of a project that its statistics do not know yet, PostgreSQL would expect a single event, and might look for each among all of them.
 */
async function eventsAt(db: Db, projectId: string, places: readonly EventPlace[]): Promise<EventRow[]> {
  if (places.length === 0) return [];
  const column = <Key extends keyof EventPlace>(key: Key) => places.map((place) => place[key]);
  const { rows } = await sql<EventRow>`
    select p.user_key as "userKey", p.event_id as "eventId", e.ts, e.name, e.props, u.external_id as "externalId"
    from unnest(${column("lane")}::int2[], ${column("userKey")}::uuid[], ${column("eventId")}::text[])
        with ordinality p (lane, user_key, event_id, n)
      cross join lateral (
        select project_id, ts, name, props from ${t.events}
        where lane = p.lane and user_key = p.user_key and event_id = p.event_id order by event_id limit 1
      ) e
      cross join lateral (
        select external_id from ${t.users} where lane = p.lane and user_key = p.user_key order by user_key limit 1
      ) u
    where e.project_id = ${projectId} order by p.n`.execute(db);
  return rows;
}

/** The next events by time. So many are read however few of them are meant, so that no statement reads on and on. */
export async function nextEvents(
  db: Db,
  projectId: string,
  chosen: ChosenEvents,
  progress: EventProgress | null,
): Promise<RowPage<ListedEvent, EventProgress>> {
  const isKnown = progress !== null && progress.ahead.length > 0;
  const places = isKnown ? progress.ahead : await nextPlaces(db, projectId, chosen, progress?.last);
  const isLast = isKnown ? progress.isLast : places.length < PLACES;
  const [now, ahead] = [places.slice(0, EVENTS), places.slice(EVENTS)];
  const meant = now.filter(({ isMeant }) => isMeant);
  const last = isLast && ahead.length === 0 ? undefined : now.at(-1);
  return {
    rows: (await eventsAt(db, projectId, meant)).map((row) => ({ ...toEvent(row), eventId: row.eventId })),
    next: last === undefined ? null : { last, ahead, isLast },
  };
}
