import { sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { MAX_EVALUATED_EVENT_OCCURRENCES } from "../schema.ts";
import type { CompiledAudience, CountedFacts } from "./compile.pure.ts";
import { messagesOfNeed, recentMessagesJoin } from "./messages-store.ts";

/** Events `k` of a user in `source` that are within the window of the need `n`. The user's key is enough: it is derived from the project too. */
const timely = (source: string): string => `${t.events} k
  where k.lane = ${source}.lane and k.user_key = ${source}.user_key and k.name = n.event
    and k.ts >= coalesce(${source}.evaluated_at - n.window_ms, 0) and k.ts <= ${source}.evaluated_at`;

/**
 * Counts the needs of many users in the statement that it is joined into: `o.occurrences` is a JSON list in the order of the
 * needs, null where there are none. `source` has lane, user_key, project_id, evaluated_at (epoch milliseconds) and needs
 * (`Needs.json()`, or null, which costs nothing). Counting stops at a number that is above every count of an expression.
 */
export const occurrencesJoin = (source: string): SqlText =>
  sqlText(`
  left join lateral (
    select json_agg(counted.met order by n.ord) as occurrences
    from rows from (
      jsonb_to_recordset(${source}.needs) as (
        event text, "windowMs" int8, path jsonpath, times jsonb, did text, campaigns jsonb, channel text
      )
    ) with ordinality as n (event, window_ms, path, times, did, campaigns, channel, ord)
    cross join lateral (
      select case
        when n.did is not null then (
          select count(*) from (select from ${messagesOfNeed(source)} limit ${MAX_EVALUATED_EVENT_OCCURRENCES}) found
        )
        -- Read from the primary key's index alone, which has the name and the time.
        when n.path is null and n.times is null then (
          select count(*) from (select from ${timely(source)} limit ${MAX_EVALUATED_EVENT_OCCURRENCES}) found
        )
        else (
          select count(*) from (
            select from (select k.event_id from ${timely(source)} offset 0) k
            join ${t.events} e on e.lane = ${source}.lane and e.user_key = ${source}.user_key and e.event_id = k.event_id
            where (n.path is null or coalesce(e.props, '{}') @@ n.path)
              and (n.times is null or not exists (
                select from jsonb_to_recordset(n.times) as t (key text, "from" int8, until int8, ago int8, ahead int8, outside boolean)
                where coalesce(
                  iso_instant(e.props -> t.key) between coalesce(t."from", ${source}.evaluated_at - t.ago, -9223372036854775808)
                    and coalesce(t.until, ${source}.evaluated_at + t.ahead, 9223372036854775807),
                  t.outside
                ) = t.outside
              ))
            limit ${MAX_EVALUATED_EVENT_OCCURRENCES}
          ) found
        )
      end as met
    ) counted
    where ${source}.needs is not null
  ) o on true`);

/** The needs of a user that are counted, as of `evaluatedAt` (epoch milliseconds). */
export type NeedsQuestion = UserRef & { projectId: string; evaluatedAt: number; needs: string };

/** Counts needs in the database, for users with too many events to read. */
export const countOccurrences = rowsStatement<NeedsQuestion, { occurrences: number[] }>(
  { name: "count_occurrences", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid", evaluatedAt: "int8", needs: "jsonb" },
  ` select o.occurrences from input i ${occurrencesJoin("i")} order by i.ord`,
);

/** Up to so many events and messages of a user are read and counted in memory. One more is read, which shows that there are too many. */
export const MAX_READ_EVENTS = 200;

/**
 * Reads what is counted for needs, in the statement that it is joined into: `t.timely` and `p.propertied` are JSON lists
 * of `RecentEvent`, null for none, and `m.messages` is as `recentMessagesJoin` says. `source` has lane, user_key, since (epoch
 * milliseconds), timely and propertied (JSON lists of names, or null, which costs nothing), and messages. Names and times come from the key's index alone, where a user's events lie together:
 * counting six needs in SQL cost 30 µs more per user.
 */
export const needsReadJoin = (source: string): SqlText =>
  sqlText(`
  left join lateral (
    select json_agg(json_build_array(k.name, k.ts)) as timely
    from (
      select k.name, k.ts from ${t.events} k
      where k.lane = ${source}.lane and k.user_key = ${source}.user_key and k.ts >= ${source}.since
        and ${source}.timely ? k.name
      limit ${MAX_READ_EVENTS + 1}
    ) k
    where ${source}.timely is not null
  ) t on true
  left join lateral (
    select json_agg(json_build_array(k.name, k.ts, e.props)) as propertied
    from (
      select k.event_id, k.name, k.ts from ${t.events} k
      where k.lane = ${source}.lane and k.user_key = ${source}.user_key and k.ts >= ${source}.since
        and ${source}.propertied ? k.name
      limit ${MAX_READ_EVENTS + 1}
    ) k
    join ${t.events} e on e.lane = ${source}.lane and e.user_key = ${source}.user_key and e.event_id = k.event_id
    where ${source}.propertied is not null
  ) p on true
  ${recentMessagesJoin(source, MAX_READ_EVENTS + 1)}`);

type FactsRow = {
  externalId: string;
  traits: Record<string, unknown>;
  firstSeenAt: number;
  lastSeenAt: number;
  counts: Record<string, number> | null;
  occurrences: number[] | null;
};

/** A known user with all facts that a compiled audience needs. */
export type KnownUser = { firstSeenAt: number; lastSeenAt: number; facts: CountedFacts };

/** Reads the facts of one user that a compiled audience needs; null when the project has no such user. */
export async function readFacts(
  db: Db,
  projectId: string,
  user: UserRef,
  { needs, events }: Pick<CompiledAudience, "needs" | "events">,
  evaluatedAt: number,
): Promise<KnownUser | null> {
  const { rows } = await sql<FactsRow>`
    select u.external_id as "externalId", u.traits, least(u.first_seen_at, i.evaluated_at) as "firstSeenAt",
      least(u.last_seen_at, i.evaluated_at) as "lastSeenAt", c.counts, o.occurrences
    from (
      select ${user.lane}::int2 as lane, ${user.userKey}::uuid as user_key, ${projectId}::uuid as project_id,
        ${evaluatedAt}::int8 as evaluated_at, ${needs.length === 0 ? null : JSON.stringify(needs)}::jsonb as needs
    ) i
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    left join lateral (
      select json_object_agg(c.name, c.count) as counts from ${t.eventCounts} c
      where c.lane = i.lane and c.user_key = i.user_key and c.project_id = i.project_id
        and c.name = any(${events}::text[])
    ) c on true
    ${occurrencesJoin("i")}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { externalId, traits, firstSeenAt, lastSeenAt, counts, occurrences } = row;
  const facts = {
    externalId,
    traits,
    firstSeenAt,
    lastSeenAt,
    eventCounts: counts ?? {},
    occurrences: occurrences ?? [],
  };
  return { firstSeenAt, lastSeenAt, facts };
}
