import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import { sqlText } from "./sql-text.ts";
import { t } from "./table-names.ts";

/** Compiles queries as the database's own Kysely does, and has no connection. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

describe("a piece of SQL", () => {
  const named = sqlText("s.name");

  it("is text in a template string and in Kysely's tag, where a string is a parameter", () => {
    assert.equal(`select ${named} from ${t.segments} s`, "select s.name from segments s");
    const { sql: text, parameters } =
      sql`select ${named} from ${t.segments} s where ${named} = ${"s.name"}`.compile(compiler);
    assert.equal(text, "select s.name from segments s where s.name = $1");
    assert.deepEqual(parameters, ["s.name"]);
  });

  it("can be joined, in both ways", () => {
    const pieces = [named, sqlText("s.id")];
    assert.equal(pieces.join(", "), "s.name, s.id");
    assert.equal(sql`select ${sql.join(pieces)}`.compile(compiler).sql, "select s.name, s.id");
  });

  it("names a table as the database does", () => {
    assert.equal(String(t.emailHitHeads), "email_hit_heads");
    assert.equal(t.emailHitHeads, t.emailHitHeads);
  });
});
