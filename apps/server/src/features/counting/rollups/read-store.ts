import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { MAX_KEY_BYTES, OTHER_NAME, OTHER_TYPE } from "./rules.ts";

/**
 * How many users and visitors a project has. What waits to be added up is in it: the answer is exact for the snapshot that it is read in.
 */
export async function readUserCounts(
  db: Db,
  projectId: string,
): Promise<{ users: number; visitors: number }> {
  const { rows } = await sql<{ kind: "users" | "visitors"; users: number }>`
    select kind, sum(users)::int8 as users
    from (
      select kind, users from ${t.userCounts} where project_id = ${projectId}
      union all
      select fact ->> 1, (fact ->> 2)::int8
      from ${t.rollupDeltas} n, jsonb_array_elements(n.facts) fact
      where n.project_id = ${projectId} and n.fault is null and fact ->> 0 = 'users'
    ) counts
    group by kind`.execute(db);
  const countOf = (kind: string): number => rows.find((row) => row.kind === kind)?.users ?? 0;
  return { users: countOf("users"), visitors: countOf("visitors") };
}

/** A trait that users have; `types` counts them by the JSON type of their value. */
export type KnownTrait = {
  key: string;
  types: Record<string, number>;
  users: number;
  /** Its values, most users first; null where there are too many to choose from, or none that is short text. */
  values: string[] | null;
};

/** At most `limit` traits, those of most users first. */
export async function readTraits(db: Db, projectId: string, limit: number): Promise<KnownTrait[]> {
  const { rows } = await sql<KnownTrait>`
    with known as (
      select key, json_object_agg(type, users) as types, sum(users)::int8 as users
      from ${t.traitKeys} where project_id = ${projectId} and users > 0 and type <> ${OTHER_TYPE}
      group by key order by sum(users) desc, key limit ${limit}
    )
    select k.*, (
      select json_agg(v.value order by v.users desc, v.value) from ${t.traitValues} v
      where v.project_id = ${projectId} and v.key = k.key and v.users > 0
    ) as values
    from known k order by k.users desc, k.key`.execute(db);
  return rows;
}

/** So many deltas are looked at for names of traits that were not counted yet: more are there only behind an import. */
const WAITING_DELTAS = 2_000;

/** The names of the traits that most users have, by their names. Those that wait to be counted are among them. */
export async function readTraitKeys(db: Db, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    with waiting as (
      select facts from ${t.rollupDeltas} where project_id = ${projectId} and fault is null order by id limit ${WAITING_DELTAS}
    ),
    counts as (
      select key, users from ${t.traitKeys} where project_id = ${projectId} and type <> ${OTHER_TYPE}
      union all
      select fact ->> 1, (fact ->> 3)::int8 from waiting, jsonb_array_elements(facts) fact where fact ->> 0 = 'trait'
    )
    select key from (
      select key from counts where key <> '' group by key having sum(users) > 0 order by sum(users) desc, key limit ${limit}
    ) most order by key`.execute(db);
  return rows.map(({ key }) => key);
}

export type KnownProperty = { key: string; types: Record<string, number> };

/** An event that users did. */
export type KnownEvent = {
  name: string;
  users: number;
  occurrences: number;
  lastSeenAt: number | null;
  /** At most one more than requested, which shows that there are more. */
  properties: KnownProperty[];
  /** Whether there are properties that are only counted together with others. */
  hasOther: boolean;
};

/** At most `limit` event names, those of most users first, each with its most frequent properties. */
export async function readEvents(
  db: Db,
  projectId: string,
  { limit, properties }: { limit: number; properties: number },
): Promise<KnownEvent[]> {
  const { rows } = await sql<KnownEvent>`
    with known as (
      select name, users, occurrences, last_seen_at
      from ${t.eventNames} where project_id = ${projectId} and occurrences > 0 and name <> ${OTHER_NAME}
      order by users desc, name limit ${limit}
    )
    select k.name, k.users, k.occurrences, k.last_seen_at as "lastSeenAt", coalesce(p.properties, '[]') as properties,
      exists (
        select from ${t.eventProperties} where project_id = ${projectId} and name = k.name and key = '' and type = ${OTHER_TYPE}
      ) as "hasOther"
    from known k, lateral (
      select json_agg(json_build_object('key', key, 'types', types) order by total desc, key) as properties
      from (
        select key, json_object_agg(type, count) as types, sum(count) as total
        from ${t.eventProperties}
        where project_id = ${projectId} and name = k.name and count > 0 and type <> ${OTHER_TYPE}
        group by key order by sum(count) desc, key limit ${properties + 1}
      ) keys
    ) p
    order by k.users desc, k.name`.execute(db);
  return rows;
}

/** At most `limit` names of traits, those of most users first. */
export async function readTraitNames(db: Db, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from ${t.traitKeys} where project_id = ${projectId} and users > 0 and type <> ${OTHER_TYPE}
    group by key order by sum(users) desc, key limit ${limit}`.execute(db);
  return rows.map(({ key }) => key);
}

/**
 * The values of traits by their key, those of most users first; nothing of a trait with too many to choose from, or with none that is
 * short text.
 */
export async function readTraitValues(
  db: Db,
  projectId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ key: string; values: string[] }>`
    select key, json_agg(value order by users desc, value) as values from ${t.traitValues}
    where project_id = ${projectId} and key = any(${keys}::text[]) and users > 0 group by key`.execute(db);
  return new Map(rows.map(({ key, values }) => [key, values]));
}

/**
 * The traits among `names` that no user has, as far as is counted. None where the project has so many traits that not all are counted
 * by name.
 */
export async function findUncountedTraits(
  db: Db,
  projectId: string,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) name
    where octet_length(name) <= ${MAX_KEY_BYTES} and not exists (
      select from ${t.traitKeys}
      where project_id = ${projectId} and users > 0 and (key = name or (key = '' and type = ${OTHER_TYPE}))
    )`.execute(db);
  return rows.map(({ name }) => name);
}

/** Only the newest deltas are searched for names: older ones have been applied, or soon will be. */
const MAX_DELTAS_READ = 1_000;

/** At most `limit` names of traits in deltas that are not applied yet. */
export async function readPendingTraitNames(db: Db, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct fact ->> 1 as key from (
      select facts from ${t.rollupDeltas}
      where project_id = ${projectId} and fault is null order by id desc limit ${MAX_DELTAS_READ}
    ) newest, jsonb_array_elements(facts) fact
    where fact ->> 0 = 'trait' limit ${limit}`.execute(db);
  return rows.map(({ key }) => key);
}

/** At most `limit` names of events, those of most users first. */
export async function readEventNames(db: Db, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from ${t.eventNames}
    where project_id = ${projectId} and occurrences > 0 and name <> ${OTHER_NAME}
    order by users desc, name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** The most frequent properties, at most `limit`, of each of these events that has happened. */
export async function readPropertyNames(
  db: Db,
  projectId: string,
  names: readonly string[],
  limit: number,
): Promise<{ name: string; keys: string[] }[]> {
  const { rows } = await sql<{ name: string; keys: string[] }>`
    select e.name, array(
      select key from ${t.eventProperties} p
      where p.project_id = ${projectId} and p.name = e.name and p.count > 0 and p.type <> ${OTHER_TYPE}
      group by key order by sum(p.count) desc, key limit ${limit}
    ) as keys
    from ${t.eventNames} e
    where e.project_id = ${projectId} and e.occurrences > 0 and e.name = any (${[...names]}::text[])`.execute(
    db,
  );
  return rows;
}

/** Whether a project has so many event names, or trait keys, that some are only counted together. */
export async function haveOthers(db: Db, projectId: string): Promise<{ events: boolean; traits: boolean }> {
  const { rows } = await sql<{ events: boolean; traits: boolean }>`
    select exists (select from ${t.eventNames} where project_id = ${projectId} and name = ${OTHER_NAME}) as events,
      exists (
        select from ${t.traitKeys} where project_id = ${projectId} and key = '' and type = ${OTHER_TYPE}
      ) as traits`.execute(db);
  return rows[0] ?? { events: false, traits: false };
}

/** The counts of a UTC day (days since 1970). */
export type DayCounts = { day: number; shown: number; clicked: number; converted: number; events: number };

/** The days from `since` to `until`, both included, that have counts. */
export async function readDays(
  db: Db,
  projectId: string,
  since: number,
  until: number,
): Promise<DayCounts[]> {
  const { rows } = await sql<DayCounts>`
    select day, coalesce(sum(shown), 0)::int8 as shown, coalesce(sum(clicked), 0)::int8 as clicked,
      coalesce(sum(converted), 0)::int8 as converted, coalesce(sum(events), 0)::int8 as events
    from (
      select day, shown, clicked, converted, 0 as events from ${t.deliveryDays}
      where project_id = ${projectId} and day between ${since} and ${until}
      union all
      select day, 0, 0, 0, count from ${t.eventDays} where project_id = ${projectId} and day between ${since} and ${until}
    ) counted
    group by day order by day`.execute(db);
  return rows;
}

/** The event names of some days, most frequent first; without those that are only counted together. */
export async function readTopEvents(
  db: Db,
  projectId: string,
  days: { since: number; until: number; limit: number },
): Promise<{ name: string; count: number }[]> {
  const { rows } = await sql<{ name: string; count: number }>`
    select name, sum(count)::int8 as count from ${t.eventDays}
    where project_id = ${projectId} and day between ${days.since} and ${days.until} and name <> ${OTHER_NAME}
    group by name having sum(count) > 0 order by sum(count) desc, name limit ${days.limit}`.execute(db);
  return rows;
}
