import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { FACTS } from "./instants.ts";

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), "utf8");

/** How columns of an instant are called, or of a day or period of one. */
const INSTANT = /(_at|_until|_before|At)$|^(at|ts|day|period)$/;

/** The instants of the schema as `table.column`. */
async function instantsOfSchema(): Promise<string[]> {
  const schema = await read("../../schema.sql");
  return [...schema.matchAll(/^create (?:unlogged )?table (\S+) \(\n([\s\S]*?)\n\)/gm)].flatMap(
    ([, table = "", columns = ""]) =>
      [...columns.matchAll(/^ {2}("?)(\w+)\1 (?:bigint|integer|timestamp)/gm)]
        .map(([, , name = ""]) => name)
        .filter((name) => INSTANT.test(name))
        .map((name) => `${table.replaceAll('"', "")}.${name}`),
  );
}

describe("an instant of the schema", () => {
  it("is a mere fact, or the page on clocks says what becomes of it where it lies far ahead", async () => {
    const page = await read("../../../../docs/internals/clocks.md");
    const facts = Object.entries(FACTS).flatMap(([table, names]) =>
      names.split(" ").map((name) => `${table}.${name}`),
    );
    const instants = await instantsOfSchema();
    const onPage = instants.filter((each) => page.includes(`\`${each}\``));
    assert.deepEqual([...facts, ...onPage].sort(), instants.sort());
  });

  it("is named on the page only where there is one", async () => {
    const page = await read("../../../../docs/internals/clocks.md");
    const instants = await instantsOfSchema();
    const named = [...page.matchAll(/`((?:people\.)?\w+\.\w+)`/g)].map(([, name = ""]) => name);
    const columns = named.filter((name) => INSTANT.test(name.split(".").at(-1) ?? ""));
    assert.deepEqual(
      columns.filter((name) => !instants.includes(name)),
      [],
    );
    assert.ok(columns.length > 40);
  });
});
