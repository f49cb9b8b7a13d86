import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { liesByLane } from "../../scripts/statements/reading.ts";
import type { TablePlacement } from "../../src/domain/tables.ts";
import { checks, tables } from "../../src/features.ts";
import { snakeCase } from "../../src/platform/text/snake-case.ts";
import { columnsOfSchema, foreignKeysOfSchema, tablesOfSchema, uniqueKeysOfSchema } from "./schema.ts";

const DATA = readFileSync(new URL("../../../../docs/internals/data.md", import.meta.url), "utf8");

const places = tables.map(({ name, lies }): [string, TablePlacement] => [name, lies]);
const tablesOf = (isMeant: (place: TablePlacement) => boolean): string[] =>
  places.filter(([, place]) => isMeant(place)).map(([table]) => table);

/** Numbers that are drawn from a sequence on tables that are spread, and why that is harmless. */
const SEQUENCES: Readonly<Record<string, string>> = {
  "rollup_deltas.id": "tells deltas of one lane apart; nothing refers to it, and it may have gaps",
  "journey_triggers.seq": "what a user did first, and every user is on one machine; nothing refers to it",
  "push_observations.received_order":
    "what came first, for a listing; drawn in blocks on a cluster, it is exact per machine only",
  "push_targets.created_order": "the same",
};

describe("the place of every table", () => {
  it("begins each of its unique keys with the lane, and with its key", () => {
    const seen = new Set<string>();
    for (const { table, columns } of uniqueKeysOfSchema) {
      const place = places.find(([name]) => name === table)?.[1] ?? "local";
      if (!liesByLane(place)) continue;
      seen.add(table);
      const wanted = place === "counter" ? ["lane"] : ["lane", snakeCase(place)];
      assert.deepEqual(columns.slice(0, wanted.length), wanted, `a unique key of ${table}`);
    }
    assert.deepEqual([...seen].sort(), tablesOf(liesByLane).sort());
  });

  it("has no foreign key from or to a table that is spread", () => {
    const spread = new Set(tablesOf(liesByLane));
    assert.deepEqual(
      foreignKeysOfSchema.filter(({ from, to }) => spread.has(from) || spread.has(to)),
      [],
    );
    assert.ok(foreignKeysOfSchema.length > 20);
  });

  it("names its project, or says how its rows are found, or that they are of none", () => {
    const named = columnsOfSchema.filter(({ column }) => column === "project_id").map(({ table }) => table);
    const decided = tables.filter(({ projectRows }) => projectRows !== undefined).map(({ name }) => name);
    assert.deepEqual(
      tablesOfSchema.filter((table) => !named.includes(table) && !decided.includes(table)),
      [],
      "a table without project_id says so under `projectRows`, in the tables.pure.ts of its room",
    );
  });

  it("draws no numbers from a sequence on a table that is spread, but where that is argued", () => {
    const spread = new Set(tablesOf(liesByLane));
    const drawn = columnsOfSchema
      .filter(({ table, isNumbered }) => isNumbered && spread.has(table))
      .map(({ table, column }) => `${table}.${column}`);
    assert.deepEqual(drawn.sort(), Object.keys(SEQUENCES).sort());
  });
});

/** What a file of SQL or of Kysely says it writes. Statements mark their tables: `${t.emailSends}`. */
const WRITES = [
  /\b(?:insert into|delete from)\s+(?:"|\$\{t\.)?(\w+)/g,
  // Not `for update of`, and not `do update set`.
  /(?<!for |do |no key )\bupdate\s+(?!set\b|of\b|skip\b)(?:\$\{t\.)?(\w+)/g,
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\("(\w+)/g,
];

/** The tables that a file writes. */
const writtenIn = (text: string): string[] => [
  ...new Set(
    WRITES.flatMap((pattern) => [...text.matchAll(pattern)].map(([, table = ""]) => snakeCase(table))),
  ),
];

/** Whether a file lies in a folder: a room of `features`, or the platform. */
const liesIn = (path: string, folder: string): boolean =>
  path.startsWith(`${folder}/`) || path.startsWith(`features/${folder}/`);

describe("the owner of every table", () => {
  const SOURCE = new URL("../../src/", import.meta.url).pathname;
  const owners = new Map(tables.map(({ name, owner }) => [name, owner]));
  const files = globSync("**/*.ts", {
    cwd: SOURCE,
    exclude: ["**/*.{test,test-data}.ts", "**/generated/**"],
  });
  const writes = files.flatMap((path) =>
    writtenIn(readFileSync(join(SOURCE, path), "utf8"))
      .filter((table) => owners.has(table))
      .map((table) => ({ path, table })),
  );

  it("is the only one that writes it, but for a project that comes or goes as a whole", () => {
    const strangers = writes.filter(
      ({ path, table }) => !liesIn(path, owners.get(table) ?? "") && !liesIn(path, "portable"),
    );
    assert.deepEqual(strangers, []);
  });

  it("sees a write through the mark of a table", () => {
    const text = `insert into \${t.aB} (c) select 1; update \${t.c} set d = 1; delete from \${t.dEF}`;
    assert.deepEqual(writtenIn(text).sort(), ["a_b", "c", "d_e_f"]);
  });

  it("sees a write in SQL and in Kysely", () => {
    const text =
      'with x as (insert into a_b (c) select 1), y as (update c set d = 1 from x), z as (delete from "e") select 1 for update of q; on conflict do update set r = 1; db.insertInto("fG").updateTable("h").deleteFrom("i")';
    assert.deepEqual(writtenIn(text).sort(), ["a_b", "c", "e", "f_g", "h", "i"]);
  });
});

describe("the invariants of docs/internals/data.md", () => {
  it("are what the checks prove: each names theirs by their first words", () => {
    const list = DATA.split("\n## Invariants")[1]?.split("\n## ")[0] ?? "";
    const items = list.split(/\n(?=\d+\. )/).slice(1);
    const named = items.map((item) => {
      const named = /\(([^()]*)\)\s*$/.exec(item)?.[1] ?? "";
      return [...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort();
    });
    const proven = items.map((_, index) => {
      const theirs = checks.filter(({ invariant }) => invariant === index + 1);
      return [...new Set(theirs.map(({ name }) => name.split(":")[0]))].sort();
    });
    assert.deepEqual(named, proven);
    assert.equal(Math.max(...checks.map(({ invariant }) => invariant)), items.length);
  });
});
