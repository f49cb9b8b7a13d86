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

/** The plans of hot statements over many rows, by the name of the statement. What begins otherwise finds its rows itself, and ends early. */
async function plans(): Promise<Map<string, Plan[]>> {
  const found = new Map<string, Plan[]>();
  for (const [name, { text }] of declaredStatements()) {
    if (!text.startsWith("with input as")) continue;
    const { rows } = await house.database.hotPool.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    found.set(name, partsOf(rows[0]?.["QUERY PLAN"][0].Plan ?? { "Node Type": "none" }));
  }
  return found;
}

const partsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(partsOf)];

/** Tables with a row or more per end user. */
const LARGE = new Set(tables.filter(({ lies }) => lies.endsWith("Key")).map(({ name }) => String(name)));

it("a statement over many rows looks each of them up by its key, also where the planner expects a partial index to be empty", async () => {
  const { rows: partial } = await house.database.pool.query<{ name: string }>(
    "select indexrelid::regclass::text as name from pg_index where indpred is not null",
  );
  const partialIndexes = new Set(partial.map(({ name }) => name));
  const found: string[] = [];
  for (const [name, parts] of await plans())
    for (const part of parts) {
      const index = part["Index Name"];
      if (index === undefined || !partialIndexes.has(index) || !LARGE.has(part["Relation Name"] ?? ""))
        continue;
      if (!/\blane|_lane/.test(part["Index Cond"] ?? "")) found.push(`${name}: ${index}`);
    }
  assert.deepEqual(found, [], "say such a condition with `rowFilter` (platform/db/statements/fragment.ts)");
});

it("a statement over many rows that looks into a lane asks for a key of it, and not for all that the lane has", async () => {
  const { rows: keys } = await house.database.pool.query<{ name: string; key: string }>(
    `select i.indexrelid::regclass::text as name, a.attname as key
    from pg_index i join pg_attribute a on a.attrelid = i.indexrelid and a.attnum = i.indkey[1] where i.indisprimary`,
  );
  const keyOf = new Map(keys.map(({ name, key }) => [name, key]));
  const found: string[] = [];
  for (const [name, parts] of await plans())
    for (const { "Index Name": index, "Relation Name": table, "Index Cond": condition } of parts) {
      const key = keyOf.get(index ?? "");
      if (key === undefined || condition === undefined || !LARGE.has(table ?? "")) continue;
      if (!new RegExp(`\\(${key} = `).test(condition)) found.push(`${name}: ${index} ${condition}`);
    }
  assert.deepEqual(found, [], "the planner turned a join around: a `materialized` CTE holds its order");
});
