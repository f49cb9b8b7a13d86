import { rowsStatement } from "../../platform/db/rows-statement.ts";
import type { UserRef } from "../../platform/ids.ts";
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

/** One identify of one user. `traits` is compact JSON; `ts` when it came, epoch milliseconds. */
export type Identified = UserRef & {
  projectId: string;
  externalId: string;
  traits: string;
  ts: number;
  period: number;
};

/** Merges traits into users, at most one row per user, and counts them as active. */
export const identifyUsers = rowsStatement<Identified, { lane: number }>(
  "identify_users",
  {
    lane: "int2",
    userKey: "uuid",
    projectId: "uuid",
    externalId: "text",
    traits: "jsonb",
    ts: "int8",
    period: "int4",
  },
  `,
  identified as (
    insert into users as u (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, traits, ts, ts from input order by lane, user_key
    on conflict (lane, user_key) do update
      set traits = case when excluded.traits = '{}' then u.traits else u.traits || excluded.traits end,
        last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at)
  ),
  ${countActiveCtes("input")}
  select lane from input`,
);
