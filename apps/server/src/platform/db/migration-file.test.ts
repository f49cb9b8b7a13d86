import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMigrations } from "./migrate.ts";
import { parseMigration } from "./migration-file.pure.ts";

const A = "create unique index concurrently a on t (x, y);";
const B = "create index concurrently b on u (z)\n  where z is not null;";

describe("a migration file", () => {
  it("begins with indexes that are built while others write, each up to the end of a line", () => {
    const { indexes, sql } = parseMigration(
      `-- Why; concurrently.\n${A}\n\n-- The other one.\n${B}  \n-- Then.\nalter table t add column v int;\n`,
    );
    assert.deepEqual(indexes, [
      { name: "a", table: "t", statement: A },
      { name: "b", table: "u", statement: B },
    ]);
    assert.equal(sql, "-- Then.\nalter table t add column v int;\n");
  });

  it("may have none of them, or nothing else", () => {
    const plain = "create index a on t (x);\n";
    assert.deepEqual(parseMigration(plain), { indexes: [], sql: plain });
    assert.deepEqual(parseMigration(A), { indexes: [{ name: "a", table: "t", statement: A }], sql: "" });
    assert.equal(parseMigration("-- Not concurrently.\nselect 1;").indexes.length, 0);
  });

  it("does nothing concurrently further down, or in another form", () => {
    for (const text of [
      `select 1;\n${A}\n`,
      `${A} select 1;\n`,
      `${A}\nselect 1;\n${B}\n`,
      "drop index concurrently a;\n",
      "create index concurrently on t (x);\n",
      "create index concurrently if not exists a on t (x);\n",
      "CREATE INDEX CONCURRENTLY a ON t (x);\n",
    ])
      assert.throws(() => parseMigration(text), /Only the first statements/, text);
  });

  it("names each index once in all of the files", async () => {
    const names = (await readMigrations()).flatMap(({ indexes }) => indexes.map(({ name }) => name));
    assert.ok(names.length > 0);
    assert.equal(new Set(names).size, names.length);
  });
});
