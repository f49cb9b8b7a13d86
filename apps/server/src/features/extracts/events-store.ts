import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import { containing } from "../../platform/db/containing.ts";
import type { Db } from "../../platform/db/db.ts";
import { inIndexOrder } from "../../platform/db/in-index-order.ts";
import { type EventRow, toEvent } from "../users/events/public.ts";
import type { Event } from "../users/events/schema.ts";
import type { Page } from "./walk.ts";

/** Events that one statement reads: each may have 4 KB of properties. */
const EVENTS = 1_000;

/** Which events are meant; instants are epoch milliseconds, and included. `users`: an event is of all that are named. */
export type ChosenEvents = {
  since: number | undefined;
  until: number;
  name: string | undefined;
  q: string | undefined;
  users: readonly UserRef[];
};

export type EventPlace = UserRef & { ts: number; eventId: string };
type Row = EventPlace & EventRow;

/**
 * The next events by time. So many are read however few of them are meant, so that no statement reads on and on. The instant and the id of an
 * event never change, so that none is passed over or had twice.
 */
export async function nextEvents(
  db: Db,
  projectId: string,
  { since, until, name, q, users }: ChosenEvents,
  after: EventPlace | null,
): Promise<Page<Event, EventPlace>> {
  const conditions = [
    sql`project_id = ${projectId} and ts <= ${until}`,
    ...(since === undefined ? [] : [sql`ts >= ${since}`]),
    ...(after === null
      ? []
      : [
          sql`ts >= ${after.ts} and (ts, lane, user_key, event_id)
            > (${after.ts}::int8, ${after.lane}::int2, ${after.userKey}::uuid, ${after.eventId}::text)`,
        ]),
    ...users.map(({ lane, userKey }) => sql`lane = ${lane} and user_key = ${userKey}`),
  ];
  const isMeant = [
    sql`true`,
    ...(name === undefined ? [] : [sql`e.name = ${name}`]),
    ...(q === undefined ? [] : [sql`e.name ilike ${containing(q)}`]),
  ];
  const statement = sql<Row & { isMeant: boolean }>`
    select e.lane, e.user_key as "userKey", e.event_id as "eventId", e.ts, e.name,
      case when m.meant then e.props end as props, u.external_id as "externalId", m.meant as "isMeant"
    from (
      select * from events where ${sql.join(conditions, sql` and `)} order by ts, lane, user_key, event_id limit ${EVENTS}
    ) e
    left join users u on u.lane = e.lane and u.user_key = e.user_key
    cross join lateral (select u.user_key is not null and ${sql.join(isMeant, sql` and `)} as meant) m
    order by e.ts, e.lane, e.user_key, e.event_id`;
  const { rows } = await inIndexOrder(db, (tx) => statement.execute(tx));
  const last = rows.length < EVENTS ? undefined : rows.at(-1);
  return { rows: rows.filter((row) => row.isMeant).map(toEvent), next: last ?? null };
}
