import { type RawBuilder, sql } from "kysely";
import { apiId, eventApiId, type UserRef } from "../../../domain/ids.ts";
import { containing } from "../../../platform/db/containing.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { OTHER_NAME } from "../../counting/rollups/rules.ts";
import type { Event } from "./schema.ts";

/** `undefined` does not filter; instants are epoch milliseconds, and included. An event is of all the `users` named. */
export type EventFilter = {
  users: readonly UserRef[];
  name?: string | undefined;
  q?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
};

/**
 * Names with at most so many events are listed through their users' counts: walking back in time could pass all other events
 * first (20 of 6,000,000: 50 ms against 330; by part of the name 200 against 1,100).
 */
const RARE = 2_000;

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join(conditions, sql` and `);

/** Whether a row belongs to an erased user whose events are not all deleted yet: lists and counts leave it out. */
const isBeingErased = (projectId: string): RawBuilder<unknown> =>
  sql`(lane, user_key) in (select lane, user_key from ${t.erasingUsers} where project_id = ${projectId})`;

/** The conditions that apply to events as well as to the counts by user and name. */
const commonConditions = (projectId: string, { users, name, q }: EventFilter): RawBuilder<unknown>[] => [
  sql`project_id = ${projectId}`,
  ...users.map(({ lane, userKey }) => sql`lane = ${lane} and user_key = ${userKey}`),
  ...(name === undefined ? [] : [sql`name = ${name}`]),
  ...(q === undefined ? [] : [sql`name ilike ${containing(q)}`]),
];

const when = ({ since, until }: EventFilter): RawBuilder<unknown>[] => [
  ...(since === undefined ? [] : [sql`ts >= ${since}`]),
  ...(until === undefined ? [] : [sql`ts <= ${until}`]),
];

const isTimeless = ({ since, until }: EventFilter): boolean => since === undefined && until === undefined;

/** SQL that counts the matching events: from the counts by user, from the rollups, or from the events themselves. */
function countingOf(projectId: string, filter: EventFilter): RawBuilder<unknown> {
  const common = all(commonConditions(projectId, filter));
  const isThere = sql`not ${isBeingErased(projectId)}`;
  if (!isTimeless(filter))
    return sql`select count(*) as total from ${t.events} where ${all([common, ...when(filter), isThere])}`;
  const done = sql`select coalesce(sum(count - retired), 0)::int8 as total from ${t.eventCounts} where ${common}`;
  if (filter.users.length > 0) return done;
  const counted = sql`((select coalesce(sum(occurrences - retired), 0) from ${t.eventNames} where ${common})
    - (select coalesce(sum(count - retired), 0) from ${t.eventCounts} where ${common} and ${isBeingErased(projectId)}))::int8`;
  const isNamed = filter.name !== undefined || filter.q !== undefined;
  if (!isNamed) return sql`select ${counted} as total`;
  // The rollups count names beyond the project's ceiling only together: where there are such names, the counts by user are summed.
  return sql`
    select case when exists (select from ${t.eventNames} where project_id = ${projectId} and name = ${OTHER_NAME})
      then (${done} and ${isThere}) else ${counted} end as total`;
}

/** The number of matching events. Without a span of time, stored counts answer it. */
async function countEvents(db: Db, projectId: string, filter: EventFilter): Promise<number> {
  const { rows } = await sql<{ total: number }>`${countingOf(projectId, filter)}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** An event as it is read, with the customer's own id of its user; null where the user is gone. */
export type EventRow = {
  userKey: string;
  eventId: string;
  name: string;
  props: unknown;
  ts: number;
  externalId: string | null;
};

export const toEvent = ({ userKey, eventId, name, props, ts, externalId }: EventRow): Event => ({
  id: eventApiId(userKey, eventId),
  name,
  // Only checked objects are written to this column.
  props: props as Event["props"],
  ts,
  endUserId: apiId("eu", userKey),
  externalUserId: externalId ?? "",
});

/**
 * Newest first; within one millisecond by user key and event id, descending. Where the project's rollups are not up to date, `total` is
 * at least what they have counted, and at least the events up to the end of this page.
 */
export async function listEvents(
  db: Db,
  projectId: string,
  filter: EventFilter,
  window: { offset: number; limit: number; isUpToDate: boolean },
): Promise<{ events: Event[]; total: number }> {
  const total = await countEvents(db, projectId, filter);
  if (total <= window.offset && window.isUpToDate) return { events: [], total };
  const common = commonConditions(projectId, filter);
  const isNamed = filter.name !== undefined || filter.q !== undefined;
  const isRare = isNamed && isTimeless(filter) && total <= RARE && window.isUpToDate;
  const matching = all([
    ...common,
    ...when(filter),
    sql`not ${isBeingErased(projectId)}`,
    ...(isRare
      ? [sql`(lane, user_key) in (select lane, user_key from ${t.eventCounts} where ${all(common)})`]
      : []),
  ]);
  // Users are joined to the events of the page alone, and not to those that were skipped before it.
  const { rows } = await sql<EventRow>`
    select e.user_key as "userKey", e.event_id as "eventId", e.name, e.props, e.ts, u.external_id as "externalId"
    from (
      select * from ${t.events} where ${matching}
      order by ts desc, user_key desc, event_id desc
      offset ${window.offset} limit ${window.limit}
    ) e
    left join ${t.users} u on u.lane = e.lane and u.user_key = e.user_key
    order by e.ts desc, e.user_key desc, e.event_id desc`.execute(db);
  const seen = rows.length === 0 ? 0 : window.offset + rows.length;
  return { events: rows.map(toEvent), total: Math.max(total, seen) };
}
