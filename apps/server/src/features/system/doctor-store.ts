import { type Selectable, sql } from "kysely";
import type { CheckFinding } from "../../platform/checks.ts";
import type { Db, Tables } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

export type RunRow = Omit<Selectable<Tables["doctorRuns"]>, "findings"> & { findings: CheckFinding[] };

// Only findings are written to this column.
const toRun = (row: Selectable<Tables["doctorRuns"]>): RunRow => row as unknown as RunRow;

/** The last run, or null. */
export async function findLastRun(db: Db): Promise<RunRow | null> {
  const row = await db
    .selectFrom("doctorRuns")
    .selectAll()
    .orderBy(sql`ended_at is null`, "desc")
    .orderBy("requestedAt", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toRun(row);
}

/** Asks for a run, and forgets those that have ended; does nothing while there is one that has not. Answers the open one. */
export async function requestRun(
  db: Db,
  run: Pick<RunRow, "id" | "requestedAt" | "requestedBy">,
): Promise<RunRow> {
  const inserted = await db
    .insertInto("doctorRuns")
    .values(run)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (inserted !== undefined) await db.deleteFrom("doctorRuns").where("id", "!=", run.id).execute();
  const open = await findLastRun(db);
  if (open === null) throw new Error("The run that was asked for is not there.");
  return open;
}

/** Ends the run of a process that is not there any more. */
export async function endLostRunAcrossProjects(db: Db, fault: string, now: number): Promise<void> {
  await sql`
    update ${t.doctorRuns} d set ended_at = ${now}, fault = ${fault}
    where ended_at is null and lease_owner is not null
      and not exists (select from ${t.processes} p where p.lease_owner = d.lease_owner)`.execute(db);
}

/** A run that a process has begun. */
export type BegunRun = { id: string; leaseOwner: string };

/** Begins the run that waits, in the name of a process; null where none does. */
export async function beginRunAcrossProjects(
  db: Db,
  { leaseOwner, checks, now }: { leaseOwner: string; checks: number; now: number },
): Promise<BegunRun | null> {
  const row = await db
    .updateTable("doctorRuns")
    .set({ leaseOwner, checks, startedAt: now })
    .where("endedAt", "is", null)
    .where("leaseOwner", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row === undefined ? null : { id: row.id, leaseOwner };
}

/** Adds a finding; false where the run is no longer this process'. */
export async function addFinding(db: Db, run: BegunRun, finding: CheckFinding): Promise<boolean> {
  const row = await db
    .updateTable("doctorRuns")
    .set({ findings: sql`findings || ${JSON.stringify([finding])}::jsonb` })
    .where("id", "=", run.id)
    .where("leaseOwner", "=", run.leaseOwner)
    .where("endedAt", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a run. @param fault why it ended before its last check, or null */
export async function endRun(db: Db, run: BegunRun, fault: string | null, now: number): Promise<void> {
  await db
    .updateTable("doctorRuns")
    .set({ endedAt: now, fault })
    .where("id", "=", run.id)
    .where("leaseOwner", "=", run.leaseOwner)
    .where("endedAt", "is", null)
    .execute();
}
