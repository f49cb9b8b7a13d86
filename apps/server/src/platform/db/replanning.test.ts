import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { until } from "../../../test/commands/spawned.ts";
import { testHouse } from "../../../test/harness.ts";
import { SECOND_MS } from "../time/clock.ts";
import { replanAsTablesGrow } from "./replanning.ts";

const house = testHouse();

describe("a prepared statement", () => {
  let pool: pg.Pool;
  let now = 0;
  const name = "find_grown";
  const text = `with input as (select * from unnest($1::int4[]) as i (id))
    select count(*)::int as found from input i join grown g on g.id = i.id`;

  const found = async (ids: readonly number[]): Promise<number> => {
    const { rows } = await pool.query<{ found: number }>({ name, text, values: [ids] });
    return rows[0]?.found ?? 0;
  };
  /** Whether the plan that the connection keeps looks each id up. */
  const looksUp = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(`explain execute ${name} ('{1}')`);
    return rows.some((row) => row["QUERY PLAN"].includes("Index Cond: (id = i.id)"));
  };

  before(async () => {
    // One connection of the same settings, so that what it keeps can be looked at.
    pool = new pg.Pool({ ...house.database.hotPool.options, max: 1 });
    replanAsTablesGrow(pool, house.database.background.pool, () => now);
    await pool.query("create table grown (id int4 primary key) with (autovacuum_enabled = false)");
    // The first look began with the first connection. One that ended later would find the table as it has grown already.
    const sizes = house.database.background.pool;
    await until(() => sizes.totalCount > 0 && sizes.idleCount === sizes.totalCount, "the first look");
    await pool.query("vacuum analyze grown");
  });
  after(() => pool.end());

  it("is planned anew once its table, which was empty, has grown", async () => {
    assert.equal(await found([1, 2]), 0);
    assert.equal(await looksUp(), false, "the planner reads all of an empty table");
    await pool.query("insert into grown select generate_series(1, 20000)");
    assert.equal(await looksUp(), false, "the plan is kept");
    await until(() => {
      now += SECOND_MS;
      return looksUp();
    }, "planned anew");
    assert.equal(await found([1, 2, 20_001]), 2);
  });
});
