import { statement } from "../../platform/db/db.ts";
import { countActiveCtes } from "../usage/public.ts";

/**
 * CTE that makes the users of `source` (lane, user_key, project_id, external_id, ts) known and keeps the time they
 * were last seen. Part of the statement that records what they did.
 */
export const upsertSeenUsersCte = (source: string): string => `
  seen_users as (
    insert into users as u (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, min(ts), max(ts) from ${source}
    group by 1, 2, 3, 4 order by 1, 2
    on conflict (lane, user_key) do update
      set last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at),
        first_seen_at = least(u.first_seen_at, excluded.first_seen_at)
      where u.last_seen_at < excluded.last_seen_at or u.first_seen_at > excluded.first_seen_at
  )`;

/** Users met for the first time in `source` (as above), where meeting them is not being active. */
export const insertMissingUsersCte = (source: string): string => `
  missing_users as (
    insert into users (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, min(ts), max(ts) from ${source}
    group by 1, 2, 3, 4 order by 1, 2
    on conflict do nothing
  )`;

/** Columns: lane, user_key, project_id, external_id, traits (json), at; then the period. One row per user. */
export const identifyUsers = statement<{ lane: number }>(
  "identify_users",
  `with input as (
    select * from unnest($1::int2[], $2::uuid[], $3::uuid[], $4::text[], $5::jsonb[], $6::int8[])
      as t (lane, user_key, project_id, external_id, traits, ts)
  ),
  identified as (
    insert into users as u (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, traits, ts, ts from input order by lane, user_key
    on conflict (lane, user_key) do update
      set traits = case when excluded.traits = '{}' then u.traits else u.traits || excluded.traits end,
        last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at)
  ),
  ${countActiveCtes("input", "$7::int")}
  select lane from input`,
);
