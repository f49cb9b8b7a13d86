import assert from "node:assert/strict";
import { it } from "node:test";
import { tables } from "../src/features.ts";
import { declaredStatements } from "../src/platform/db/statements/statement.ts";
import { testHouse } from "./harness.ts";

const house = testHouse();

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
};

const partsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(partsOf)];

/** Tables with a row or more per end user. */
const LARGE = new Set(tables.filter(({ lies }) => lies.endsWith("Key")).map(({ name }) => String(name)));

it("a statement over many rows looks each of them up by its key, also where the planner expects a partial index to be empty", async () => {
  const { pool, hotPool } = house.database;
  const { rows: partial } = await pool.query<{ name: string }>(
    "select indexrelid::regclass::text as name from pg_index where indpred is not null",
  );
  const partialIndexes = new Set(partial.map(({ name }) => name));
  const found: string[] = [];
  for (const [name, { text }] of declaredStatements()) {
    // What begins otherwise finds its rows itself, and ends early.
    if (!text.startsWith("with input as")) continue;
    const { rows } = await hotPool.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    for (const part of partsOf(rows[0]?.["QUERY PLAN"][0].Plan ?? { "Node Type": "none" })) {
      const index = part["Index Name"];
      if (index === undefined || !partialIndexes.has(index) || !LARGE.has(part["Relation Name"] ?? ""))
        continue;
      if (!/\blane|_lane/.test(part["Index Cond"] ?? "")) found.push(`${name}: ${index}`);
    }
  }
  assert.deepEqual(found, [], "say such a condition with `rowFilter` (platform/db/statements/fragment.ts)");
});
