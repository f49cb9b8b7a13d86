import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedHouse } from "../../../test/harness.ts";
import { kindOfKey } from "../../domain/tables.ts";
import { exportedTables, tables } from "./tables.ts";

const house = sharedHouse();

type Column = { table: string; column: string; type: string };

async function readCatalogue(): Promise<Column[]> {
  const { rows } = await house.database.pool.query<Column>(`
    select table_name as table, column_name as column, data_type as type
    from information_schema.columns where table_schema = 'public'`);
  return rows;
}

describe("what an export holds", () => {
  it("is decided for every table: exported, counted again, or left out with a reason", async () => {
    const catalogue = [...new Set((await readCatalogue()).map(({ table }) => table))].sort();
    assert.deepEqual(tables.map(({ name }) => name).sort(), catalogue);
    const reasons = tables.flatMap((table) =>
      "exported" in table ? [] : "leftOut" in table ? table.leftOut : table.recounted,
    );
    assert.ok(reasons.every((reason) => reason.length > 10));
  });

  it("is decided for every column whose values may not simply be carried over", async () => {
    const catalogue = await readCatalogue();
    for (const { name, columns } of exportedTables) {
      const its = catalogue.filter(({ table }) => table === name);
      const delicate = its.filter(
        ({ column, type }) =>
          column !== "project_id" &&
          (["uuid", "bytea", "jsonb", "json"].includes(type) || /lane$/.test(column)),
      );
      const undecided = delicate.filter(({ column }) => columns[column] === undefined);
      assert.deepEqual(undecided, [], `${name}: say in the tables.pure.ts of its room what becomes of it`);
      const unknown = Object.keys(columns).filter((column) => !its.some((each) => each.column === column));
      assert.deepEqual(unknown, [], `${name} has no such column`);
    }
  });

  it("says of names in older files what the database calls the same now", async () => {
    const catalogue = await readCatalogue();
    for (const { name, formerly = {} } of exportedTables)
      for (const [older, columns] of Object.entries(formerly)) {
        const isTable = older === name || !catalogue.some(({ table }) => table === older);
        assert.ok(isTable, `${older} is another table`);
        for (const [former, column] of Object.entries(columns)) {
          const its = catalogue.filter(({ table }) => table === name).map((each) => each.column);
          assert.deepEqual([its.includes(column), its.includes(former)], [true, false], `${name}.${column}`);
        }
      }
  });

  it("has for every kind of key in its columns a table that brings it", () => {
    const kinds = exportedTables.flatMap(({ columns }) =>
      Object.values(columns).flatMap((treatment) => kindOfKey(treatment) ?? []),
    );
    const brought = exportedTables.flatMap(({ brings = [] }) => brings);
    assert.deepEqual([...new Set(kinds)].sort(), [...new Set(brought)].sort());
  });

  it("knows the prefix of every id that the API shows and an import changes", () => {
    // Their ids are never shown.
    const HIDDEN = ["identity_secrets", "push_definitions", "ai_billing_reports", "source_claims"];
    const changed = exportedTables.filter(({ columns }) => columns.id === "id").map(({ name }) => name);
    const shown = tables.flatMap(({ name, ids }) => (ids === undefined ? [] : name));
    assert.deepEqual(shown.sort(), [...changed.filter((name) => !HIDDEN.includes(name)), "projects"].sort());
  });

  it("comes in an order in which what is referred to is there", async () => {
    const { rows } = await house.database.pool.query<{ from: string; to: string }>(`
      select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace`);
    const placeOf = new Map(exportedTables.map(({ name }, place) => [name, place]));
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
      const exported = exportedTables.find(({ name }) => name === table);
      // Of a table that is left out, no row is in the file.
      if (exported === undefined) continue;
      const treatment = exported.columns[column];
      assert.ok(treatment === "numbered anew" || treatment === "order", `${table}.${column}`);
    }
  });
});
