import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type pg from "pg";
import { migrate } from "../../src/platform/db/migrate.ts";
import { id, oldDatabases } from "./old-database.ts";

/** The queue of jobs that former versions kept in a schema of its own, with what is queued in it. */
async function withQueue(pool: pg.Pool, names: readonly string[]): Promise<void> {
  await pool.query(`
    create schema graphile_worker;
    create table graphile_worker._private_tasks (id int primary key generated always as identity, identifier text not null unique);
    create table graphile_worker._private_jobs (id bigint primary key generated always as identity,
      task_id int not null references graphile_worker._private_tasks, locked_by text);
    create view graphile_worker.jobs as select * from graphile_worker._private_jobs`);
  for (const name of names)
    await pool.query(
      `with task as (insert into graphile_worker._private_tasks (identifier) values ($1) returning id)
      insert into graphile_worker._private_jobs (task_id, locked_by) select id, 'worker-that-died' from task`,
      [name],
    );
}

const { oldDatabase } = oldDatabases();

describe("an upgrade, of events and processes,", () => {
  it("takes away the queue of jobs that nothing works any more, and no other program's", async () => {
    for (const [names, isLeft] of [
      [["fold_rollups", "retire_events"], false],
      [[], false],
      [["fold_rollups", "bake_bread"], true],
    ] as const) {
      const pool = await oldDatabase("0042_links_of_campaigns.sql");
      await withQueue(pool, names);
      await migrate(pool);
      const { rows } = await pool.query("select to_regnamespace('graphile_worker') is not null as left");
      assert.deepEqual(rows, [{ left: isLeft }], names.join(", "));
      await pool.end();
    }
  });

  it("keeps the leases of a process of before that still works", async () => {
    const pool = await oldDatabase("0042_links_of_campaigns.sql");
    await pool.query(
      "insert into workers (fence, seen_at, job_pools) values ($1, now() - interval '4 s', '{}')",
      [id.goal],
    );
    await migrate(pool);
    const { rows } = await pool.query(
      "select lease_owner, serves, works, seen_at < now() - interval '3 s' as aged from processes",
    );
    assert.deepEqual(rows, [{ lease_owner: id.goal, serves: false, works: true, aged: true }]);
    await pool.end();
  });

  it("keeps what is known of events that were deleted for their age", async () => {
    const pool = await oldDatabase("0078_revision_of_goals.sql");
    await pool.query(
      "update event_counts set first_at = last_at - 5, retired = 1, retired_until = last_at - 1 where name = 'paid'",
    );
    await migrate(pool);
    const { rows } = await pool.query(
      "select distinct name = 'paid' as was_retired, retired_firsts = array[first_at, last_at - 1] as are_kept from event_counts",
    );
    assert.deepEqual(
      rows.toSorted((a, b) => Number(a.was_retired) - Number(b.was_retired)),
      [
        { was_retired: false, are_kept: null },
        { was_retired: true, are_kept: true },
      ],
    );
    await pool.end();
  });
});
