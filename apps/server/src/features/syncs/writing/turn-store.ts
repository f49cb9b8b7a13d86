import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { FAILURES_BEFORE_NEWS } from "../rules.ts";

/** SQL: no process that is alive writes the sync `s`, or this one does. */
const isFree = (leaseOwner: string) => sql<boolean>`(
    s.lease_owner is null or s.lease_owner = ${leaseOwner}
    or not exists (select from ${t.processes} p where p.lease_owner = s.lease_owner)
  )`;

/** Syncs that are due until an instant (epoch ms), or further ahead than any is set, but for those of projects that are at work. */
export async function findDueSyncsAcrossProjects(
  db: Db,
  {
    until,
    farAhead,
    leaseOwner,
    busy,
  }: { until: number; farAhead: number; leaseOwner: string; busy: readonly string[] },
): Promise<{ projectId: string; id: string; dueAt: number }[]> {
  const { rows } = await sql<{ projectId: string; id: string; dueAt: number }>`
    select s.project_id as "projectId", s.id, case when s.due_at > ${farAhead} then 0 else s.due_at end as "dueAt" from ${t.syncs} s
    where s.state = 'on' and (s.due_at <= ${until} or s.due_at > ${farAhead}) and ${isFree(leaseOwner)}
      and not s.project_id = any(${[...busy]}::uuid[])
    order by s.due_at, s.id limit 100`.execute(db);
  return rows;
}

/** Takes a sync that is on; answers whether no other process has it. */
export async function takeSync(
  db: Db,
  projectId: string,
  { id, leaseOwner }: { id: string; leaseOwner: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${t.syncs} s set lease_owner = ${leaseOwner}
    where s.project_id = ${projectId} and s.id = ${id} and s.state = 'on' and ${isFree(leaseOwner)}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** Gives a sync back, so that any process may go on with it. */
export async function releaseSync(
  db: Db,
  projectId: string,
  { id, leaseOwner }: { id: string; leaseOwner: string },
): Promise<void> {
  await db
    .updateTable("syncs")
    .set({ leaseOwner: null })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("leaseOwner", "=", leaseOwner)
    .execute();
}

type Ended = { id: string; leaseOwner: string; dueAt: number; at: number };

/** Writes down that everything is there which was due, or that a file is where one had failed before. Instants are epoch milliseconds. */
export async function keepSuccess(
  db: Db,
  projectId: string,
  { id, leaseOwner, dueAt, at }: Ended,
): Promise<void> {
  await db
    .updateTable("syncs")
    .set({ dueAt, succeededAt: at, failures: 0, failingSince: null, fault: null, alertedAt: null })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("leaseOwner", "=", leaseOwner)
    .execute();
}

/**
 * Writes down that an attempt failed. `fault` is a sentence for people. Answers whether it is the last of so many in a row that it is news;
 * `hasWritten`: there were files before it failed, so that it begins to count anew.
 */
export async function keepFailure(
  db: Db,
  projectId: string,
  { id, leaseOwner, dueAt, at, fault, failures }: Ended & { fault: string; failures: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${t.syncs} s
    set due_at = ${dueAt}, failures = ${failures}, fault = ${fault},
      failing_since = case when ${failures} = 1 then ${at} else coalesce(s.failing_since, ${at}) end,
      alerted_at = case when ${failures} = 1 then null else s.alerted_at end
    where s.project_id = ${projectId} and s.id = ${id} and s.lease_owner = ${leaseOwner}`.execute(db);
  return numAffectedRows === 1n && failures === FAILURES_BEFORE_NEWS;
}

/** A sync that fails, with why. */
export type FailingSync = { projectId: string; id: string; place: string; fault: string };

/** Takes the mails to owners that are to be sent of syncs that fail: each is answered once. `now` is epoch milliseconds. */
export async function takeFailureAlertsAcrossProjects(db: Db, now: number): Promise<FailingSync[]> {
  const { rows } = await sql<FailingSync>`
    update ${t.syncs} set alerted_at = ${now}
    where state = 'on' and failures >= ${FAILURES_BEFORE_NEWS} and alerted_at is null
    returning project_id as "projectId", id, place, fault`.execute(db);
  return rows;
}

/** The same, as its project shows it: since when it fails (epoch ms). */
export type NamedFailingSync = Omit<FailingSync, "projectId"> & { failingSince: number };

/** The syncs of a project that have failed so often that it is news, the latest first. */
export async function listFailingSyncs(
  db: Db,
  projectId: string,
  limit: number,
): Promise<NamedFailingSync[]> {
  const { rows } = await sql<NamedFailingSync>`
    select s.id, s.place, coalesce(s.fault, '') as fault, coalesce(s.failing_since, s.changed_at) as "failingSince" from ${t.syncs} s
    where s.project_id = ${projectId} and s.state = 'on' and s.failures >= ${FAILURES_BEFORE_NEWS}
    order by 4 desc, s.id limit ${limit}`.execute(db);
  return rows;
}

/** How many syncs fail, over all projects. */
export async function countFailingAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${t.syncs} s where s.state = 'on' and s.failures >= ${FAILURES_BEFORE_NEWS}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
