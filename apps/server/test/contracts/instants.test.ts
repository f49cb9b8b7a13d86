import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tables } from "../../src/features.ts";
import { columnsOfSchema, columnsOfSignIn } from "./schema.ts";

const PAGE = readFileSync(new URL("../../../../docs/internals/clocks.md", import.meta.url), "utf8");

/** How columns of an instant are called, or of a day or period of one. */
const INSTANT = /(_at|_until|_before|At)$|^(at|ts|day|period)$/;

/** The instants of the schema as `table.column`. */
const instants = [...columnsOfSchema, ...columnsOfSignIn]
  .filter(({ column, type }) => INSTANT.test(column) && /^(bigint|integer|timestamp)/.test(type))
  .map(({ table, column }) => `${table}.${column}`);

/** Columns of the library that signs people in, which only say when something was. */
const INERT_OF_SIGN_IN = [
  "people.account.accessTokenExpiresAt",
  "people.account.refreshTokenExpiresAt",
  "people.account.createdAt",
  "people.account.updatedAt",
  "people.passkey.createdAt",
  "people.session.createdAt",
  "people.session.updatedAt",
  "people.user.createdAt",
  "people.user.updatedAt",
  "people.verification.createdAt",
  "people.verification.updatedAt",
];

const inert = [
  ...tables.flatMap(({ name, inertTimestamps = [] }) => inertTimestamps.map((column) => `${name}.${column}`)),
  ...INERT_OF_SIGN_IN,
];

describe("an instant of the schema", () => {
  it("is inert, or the page on clocks says what becomes of it where it lies far ahead", () => {
    const undecided = instants.filter((each) => !inert.includes(each) && !PAGE.includes(`\`${each}\``));
    assert.deepEqual(
      undecided,
      [],
      "list it under `inertTimestamps` in the tables.pure.ts of its room, or say in docs/internals/clocks.md what waits for it",
    );
    const both = inert.filter((each) => PAGE.includes(`\`${each}\``));
    assert.deepEqual(both, [], "docs/internals/clocks.md says what waits for it, so it is not inert");
    assert.deepEqual(
      inert.filter((each) => !instants.includes(each)),
      [],
      "the schema has no such instant",
    );
  });

  it("is named on the page only where there is one", () => {
    const named = [...PAGE.matchAll(/`((?:people\.)?\w+\.\w+)`/g)].map(([, name = ""]) => name);
    const columns = named.filter((name) => INSTANT.test(name.split(".").at(-1) ?? ""));
    assert.deepEqual(
      columns.filter((name) => !instants.includes(name)),
      [],
    );
    assert.ok(columns.length > 40);
  });
});
