import { sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { CompiledAudience, CountedFacts } from "./compile.pure.ts";
import { occurrencesJoin } from "./facts-store.ts";

type Row = UserRef & {
  externalId: string;
  traits: Record<string, unknown>;
  firstSeenAt: number;
  lastSeenAt: number;
  counts: Record<string, number> | null;
  occurrences: number[] | null;
};

/** The facts of many users that compiled audiences need, by the keys of users; without those whom the project does not have. */
export async function readFactsOfMany(
  db: Db,
  projectId: string,
  users: readonly UserRef[],
  { needs, events }: Pick<CompiledAudience, "needs" | "events">,
  evaluatedAt: number,
): Promise<ReadonlyMap<string, CountedFacts>> {
  if (users.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select u.lane, u.user_key as "userKey", u.external_id as "externalId", u.traits,
      least(u.first_seen_at, i.evaluated_at) as "firstSeenAt", least(u.last_seen_at, i.evaluated_at) as "lastSeenAt",
      c.counts, o.occurrences
    from (
      select n.lane, n.user_key, ${projectId}::uuid as project_id, ${evaluatedAt}::int8 as evaluated_at,
        ${needs.length === 0 ? null : JSON.stringify(needs)}::jsonb as needs
      from unnest(${users.map(({ lane }) => lane)}::int2[], ${users.map(({ userKey }) => userKey)}::uuid[]) n (lane, user_key)
    ) i
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    left join lateral (
      select json_object_agg(c.name, c.count) as counts from ${t.eventCounts} c
      where c.lane = i.lane and c.user_key = i.user_key and c.project_id = i.project_id and c.name = any(${[...events]}::text[])
    ) c on true
    ${occurrencesJoin("i")}`.execute(db);
  return new Map(
    rows.map(({ lane: _, userKey, counts, occurrences, ...facts }) => [
      userKey,
      { ...facts, eventCounts: counts ?? {}, occurrences: occurrences ?? [] },
    ]),
  );
}
