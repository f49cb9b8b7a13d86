import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import {
  deltasCte,
  erasedEventFacts,
  erasedFirstFacts,
  forgottenEventFacts,
} from "../../counting/rollups/public.ts";

const eventsOf = (projectId: string, { lane, userKey }: UserRef): RawBuilder<unknown> =>
  sql`lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}`;

/** How many events a user has, without those deleted for their age. The user's row must be locked, so that the counts match the events. */
export async function countUserEvents(tx: Db, projectId: string, user: UserRef): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(count - retired), 0)::int8 as count from ${t.eventCounts} where ${eventsOf(projectId, user)}`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Deletes a page of a user's events and subtracts it from every sum, in the same commit. No other transaction may write events of the
 * user meanwhile: the user's row is locked, or is gone and listed in `erasing_users`.
 * @returns whether all of the user's events are deleted
 */
export async function eraseEventPage(
  tx: Db,
  projectId: string,
  user: UserRef,
  limit: number,
): Promise<boolean> {
  const theirs = eventsOf(projectId, user);
  const gone = relation<"lane" | "project_id" | "name" | "props" | "ts">("gone");
  const uncounted = relation<"lane" | "project_id" | "name" | "retired">("uncounted");
  const uncountedFacts = [erasedFirstFacts(uncounted), forgottenEventFacts(uncounted)];
  const { rows } = await sql<{ gone: number }>`
    with page as (select lane, user_key, event_id from ${t.events} where ${theirs} order by event_id limit ${limit}),
    ${gone} as (
      delete from ${t.events} e using page p
      where e.lane = p.lane and e.user_key = p.user_key and e.event_id = p.event_id
      returning e.lane, e.project_id, e.name, e.props, e.ts
    ),
    fewer as (select name, count(*) as count from ${gone} group by name),
    lowered as (
      -- Which of the events were history is not known: while the others are being deleted, no check of activity reads their counts.
      update ${t.eventCounts} c set count = c.count - f.count, history = least(c.history, c.count - f.count) from fewer f
      where ${theirs} and c.name = f.name and c.count - c.retired > f.count
    ),
    ${uncounted} as (
      delete from ${t.eventCounts} c using fewer f where ${theirs} and c.name = f.name and c.count - c.retired <= f.count
      returning c.lane, c.project_id, c.name, c.retired
    ),
    ${deltasCte(erasedEventFacts(gone), ...uncountedFacts).ctes}
    select count(*)::int8 as gone from ${gone}`.execute(tx);
  if ((rows[0]?.gone ?? 0) === limit) return false;
  // The counts of event names whose events were all deleted for their age.
  await sql`
    with ${uncounted} as (
      delete from ${t.eventCounts} where ${theirs} and count = retired returning lane, project_id, name, retired
    ),
    ${deltasCte(...uncountedFacts).ctes}
    select`.execute(tx);
  // A count without events means that another transaction wrote meanwhile: this one is run again.
  await sql`
    select case when exists (select from ${t.eventCounts} where ${theirs}) then raise_contention() end`.execute(
    tx,
  );
  return true;
}
