import { globSync, readFileSync } from "node:fs";
import type { Reach } from "../../src/platform/db/statements/statement.ts";

/** Rows that a statement locks before it answers them: of which tables, in which order of columns. */
type LockedRows = { tables: readonly string[]; order: readonly string[]; isSkipping: boolean };

/** A statement as its sheet (apps/server/statements) has it, with its texts below each other. */
export type SheetStatement = {
  /** The path of the store within the sources, and the function that sends it. */
  path: string;
  caller: string;
  reach: Reach;
  reads: readonly string[];
  writes: readonly string[];
  locks: readonly LockedRows[];
  text: string;
};

const SHEETS = new URL("../../statements/", import.meta.url).pathname;

/** The names in a list of a sheet, without what stands in brackets after each. */
const namesIn = (list: string): string[] =>
  [...list.replaceAll(/ \([^)]*\)/g, "").split(", ")].filter((name) => name !== "");

/** `a, b by c, d (for update), e (for share)` */
const locksIn = (list: string): LockedRows[] =>
  [...list.matchAll(/([^()]+) \(for ([a-z ]+)\)(?:, )?/g)].map(([, rows = "", strength = ""]) => {
    const [tables = "", order = ""] = rows.split(" by ");
    return { tables: namesIn(tables), order: namesIn(order), isSkipping: strength.endsWith("skip locked") };
  });

function statementOf(path: string, caller: string, block: string): SheetStatement {
  const field = (label: string): string => new RegExp(`^--   ${label} +(.*)$`, "m").exec(block)?.[1] ?? "";
  return {
    path,
    caller,
    // The generator writes no other one.
    reach: field("reach") as Reach,
    reads: namesIn(field("reads")),
    writes: namesIn(field("writes")),
    locks: locksIn(field("locks")),
    text: block.replaceAll(/^--.*\n?/gm, ""),
  };
}

/** The statements of a function: before the first one stands its name. */
function statementsIn(path: string, entry: string): SheetStatement[] {
  const [caller = "", ...blocks] = entry.split(/\n(?=-- {3}(?:name|reach) )(?<!\n-- {3}name .*\n)/);
  return blocks.map((block) => statementOf(path, caller, block));
}

/** Every statement of the stores, as the committed sheets have it. */
export const statementsOfSheets: readonly SheetStatement[] = globSync(`${SHEETS}**/*.sql`)
  .sort()
  .flatMap((sheet) =>
    readFileSync(sheet, "utf8")
      .split("\n\n-- ===== ")
      .slice(1)
      .flatMap((part) => {
        const [path = "", ...entries] = part.split("\n\n-- ");
        return entries.flatMap((entry) => statementsIn(path, entry));
      }),
  );
