import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exportedTables } from "../../src/domain/house-tables.ts";
import { platform } from "../../src/domain/platform.ts";
import { kindOfKey } from "../../src/domain/tables.ts";
import { staircase, tables } from "../../src/features.ts";
import { columnsOfSchema, foreignKeysOfSchema, indexesOfSchema, tablesOfSchema } from "./schema.ts";

const exported = exportedTables(tables);

/** What is there more than once. */
const repeated = (values: readonly string[]): string[] =>
  values.filter((value, place) => values.indexOf(value) !== place);

/** Tables to which a foreign key needs no word of the room: they are there before any room's. */
const BEFORE_ALL = ["organizations", "projects"];

describe("the tables that rooms declare", () => {
  it("are those of the schema, each of one room", () => {
    const undeclared = tablesOfSchema.filter((name) => !tables.some((each) => each.name === name));
    assert.deepEqual(
      undeclared,
      [],
      "declare each in the tables.pure.ts of its room, whose index.ts lists `tables`",
    );
    const unknown = tables.map(({ name }) => name).filter((name) => !tablesOfSchema.includes(name));
    assert.deepEqual(unknown, [], "the schema has no such table");
    const twice = repeated([...staircase.flat(), platform].flatMap(({ tables = {} }) => Object.keys(tables)));
    assert.deepEqual(twice, [], "two rooms declare the same table, and only one may write it");
  });

  it("have prefixes of ids of their own", () => {
    assert.deepEqual(repeated(tables.flatMap(({ ids }) => ids ?? [])), [], "two tables have this prefix");
  });

  it("name those that they refer to", () => {
    const missing = foreignKeysOfSchema.filter(({ from, to }) => {
      const needs = tables.find(({ name }) => name === from)?.needs;
      return from !== to && !BEFORE_ALL.includes(to) && !needs?.has(to);
    });
    assert.deepEqual(missing, [], "say so under `refersTo`, in the tables.pure.ts of the room");
    assert.ok(foreignKeysOfSchema.length > 100);
  });

  it("come in an order in which what is referred to is there", () => {
    const placeOf = new Map(tables.map(({ name }, place) => [name, place]));
    const early = foreignKeysOfSchema.filter(
      ({ from, to }) => from !== to && (placeOf.get(to) ?? -1) > (placeOf.get(from) ?? -1),
    );
    assert.deepEqual(early, []);
  });
});

describe("the indexes of what customers wrote in JSON", () => {
  it("leave out texts that are too long for an index, which would have the row refused", () => {
    const ofTexts = indexesOfSchema.filter((index) => index.includes("->>"));
    assert.deepEqual(
      ofTexts.filter((index) => !/ WHERE .*\blength\(.*<= \d+/i.test(index)),
      [],
      "a row of an index has at most 2,704 bytes: add `length(…) <= …` to its `where`",
    );
    assert.ok(ofTexts.length > 0);
  });
});

describe("what an export contains", () => {
  it("is decided for every table: exported, counted again, or left out with a reason", () => {
    const reasons = tables.flatMap((table) =>
      "exported" in table ? [] : "leftOut" in table ? table.leftOut : table.recounted,
    );
    assert.ok(reasons.every((reason) => reason.length > 10));
  });

  it("is decided for every column whose values may not simply be carried over", () => {
    for (const { name, columns } of exported) {
      const its = columnsOfSchema.filter(({ table }) => table === name);
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

  it("says of names in older files what the database calls the same now", () => {
    for (const { name, formerly = {} } of exported)
      for (const [older, columns] of Object.entries(formerly)) {
        const isTable = older === name || !tablesOfSchema.includes(older);
        assert.ok(isTable, `${older} is another table`);
        for (const [former, column] of Object.entries(columns)) {
          const its = columnsOfSchema.filter(({ table }) => table === name).map((each) => each.column);
          assert.deepEqual([its.includes(column), its.includes(former)], [true, false], `${name}.${column}`);
        }
      }
  });

  it("has for every kind of key in its columns a table that brings it", () => {
    const kinds = exported.flatMap(({ columns }) =>
      Object.values(columns).flatMap((treatment) => kindOfKey(treatment) ?? []),
    );
    const brought = exported.flatMap(({ brings = [] }) => brings);
    assert.deepEqual([...new Set(kinds)].sort(), [...new Set(brought)].sort());
  });

  it("knows the prefix of every id that the API shows and an import changes", () => {
    // An import makes the project itself, and its id.
    const changed = ["projects"];
    for (const { name, columns } of exported) if (columns.id === "id") changed.push(name);
    const decided = tables.filter(({ ids }) => ids !== undefined).map(({ name }) => name);
    assert.deepEqual(
      changed.filter((name) => !decided.includes(name)),
      [],
      "say their prefix under `ids` in the tables.pure.ts of the room, or null where the API never shows them",
    );
    assert.deepEqual(
      decided.filter((name) => !changed.includes(name)),
      [],
      "an import changes no id of this table: only `IdPrefixes` has its prefix",
    );
  });

  it("numbers anew, or moves on, whatever the database counts by itself", () => {
    for (const { table, column } of columnsOfSchema.filter(({ isNumbered }) => isNumbered)) {
      const its = exported.find(({ name }) => name === table);
      // Of a table that is left out, no row is in the file.
      if (its === undefined) continue;
      const treatment = its.columns[column];
      assert.ok(treatment === "numbered anew" || treatment === "order", `${table}.${column}`);
    }
  });
});
