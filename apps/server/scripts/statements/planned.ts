import type pg from "pg";
import { sqlState } from "../../src/platform/db/db.ts";
import type { Reader } from "./reading.ts";

/** Functions that get names of tables or columns from their callers, which the texts of the sheets do not have. */
const NAMED_BY_CALLERS: ReadonlySet<string> = new Set([
  "features/deliveries/results/statistics-store.ts countOutcomes",
  "features/portable/delete-store.ts removeFew",
  "features/portable/delete-store.ts removeRows",
  "features/portable/export-store.ts readRows",
  "features/portable/export-store.ts readSecretRows",
  "features/portable/import-store.ts insertRows",
]);

const UNKNOWN_NAME: ReadonlySet<string | null> = new Set(["42P01", "42703"]);
const CURSOR = /^\s*declare \w+ no scroll cursor for/i;
const PLANNED = /^\s*(?:with|select|insert|update|delete)\b/i;

/** A function of a store, with the texts of its statements. */
type Planned = { path: string; caller: string; statements: readonly { texts: readonly string[] }[] };

type Plan = { "Relation Name"?: string; Schema?: string; Plans?: Plan[] };

const tablesIn = (plan: Plan): string[] => [
  ...("Relation Name" in plan && plan.Schema !== "pg_catalog" ? [plan["Relation Name"] ?? ""] : []),
  ...(plan.Plans ?? []).flatMap(tablesIn),
];

/** What is wrong with a text: PostgreSQL refuses it, or plans to read or write a table that the reader has not found in it. */
async function faultOf(
  pool: pg.Pool,
  reader: Reader,
  text: string,
  isNamedByCaller: boolean,
): Promise<string | null> {
  const query = text.replace(CURSOR, "");
  if (!PLANNED.test(query)) return null;
  try {
    const { rows } = await pool.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      `explain (generic_plan, verbose, format json) ${query}`,
    );
    const { reads, writes } = reader.read(text);
    const found = new Set([...reads, ...writes.keys()].map((name) => name.slice(name.lastIndexOf(".") + 1)));
    const planned = tablesIn(rows[0]?.["QUERY PLAN"][0].Plan ?? {});
    const missed = planned.filter((name) => !found.has(name));
    return missed.length === 0 ? null : `is planned with ${missed.join(", ")}`;
  } catch (error) {
    if (isNamedByCaller && UNKNOWN_NAME.has(sqlState(error))) return null;
    return String(error);
  }
}

/**
 * Has PostgreSQL plan every statement, so that one with a wrong name or type is found although no test runs it.
 * @returns what is wrong, each with its function
 */
export async function faultsInPlans(
  pool: pg.Pool,
  reader: Reader,
  senders: readonly Planned[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { path, caller, statements } of senders)
    for (const text of statements.flatMap(({ texts }) => texts)) {
      const name = `${path} ${caller}`;
      const fault = await faultOf(pool, reader, text, NAMED_BY_CALLERS.has(name));
      if (fault !== null) faults.push(`${name}: ${fault}\n${text}`);
    }
  return faults;
}
