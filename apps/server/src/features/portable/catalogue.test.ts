import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { LEFT_OUT, RECOUNTED, TABLES } from "./tables.ts";

const house = testHouse();

type Column = { table: string; column: string; type: string };

async function readCatalogue(): Promise<Column[]> {
  const { rows } = await house.database.pool.query<Column>(`
    select table_name as table, column_name as column, data_type as type
    from information_schema.columns where table_schema = 'public'`);
  return rows;
}

describe("what an export holds", () => {
  it("is decided for every table: exported, counted again, or left out with a reason", async () => {
    const tables = [...new Set((await readCatalogue()).map(({ table }) => table))].sort();
    const decided = [...TABLES.map(({ name }) => name), ...Object.keys(RECOUNTED), ...Object.keys(LEFT_OUT)];
    assert.deepEqual(decided.sort(), tables);
    assert.ok(Object.values({ ...RECOUNTED, ...LEFT_OUT }).every((reason) => reason.length > 10));
  });

  it("is decided for every column whose values may not simply be carried over", async () => {
    const catalogue = await readCatalogue();
    for (const { name, columns } of TABLES) {
      const its = catalogue.filter(({ table }) => table === name);
      const delicate = its.filter(
        ({ column, type }) =>
          column !== "project_id" &&
          (["uuid", "bytea", "jsonb", "json"].includes(type) || /lane$/.test(column)),
      );
      const undecided = delicate.filter(({ column }) => columns[column] === undefined);
      assert.deepEqual(undecided, [], `${name}: say in tables.ts what becomes of it`);
      const unknown = Object.keys(columns).filter((column) => !its.some((each) => each.column === column));
      assert.deepEqual(unknown, [], `${name} has no such column`);
    }
  });

  it("comes in an order in which what is referred to is there", async () => {
    const { rows } = await house.database.pool.query<{ from: string; to: string }>(`
      select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace`);
    const placeOf = new Map(TABLES.map(({ name }, place) => [name, place]));
    for (const { from, to } of rows) {
      const [before, after] = [placeOf.get(to), placeOf.get(from)];
      if (before !== undefined && after !== undefined) assert.ok(before < after, `${to} before ${from}`);
    }
  });

  it("numbers anew, or moves on, whatever the database counts by itself", async () => {
    const { rows } = await house.database.pool.query<{ table: string; column: string }>(`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and is_identity = 'YES'`);
    for (const { table, column } of rows) {
      const treatment = TABLES.find(({ name }) => name === table)?.columns[column];
      assert.ok(treatment === "numbered anew" || treatment === "order", `${table}.${column}`);
    }
  });
});
