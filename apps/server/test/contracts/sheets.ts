import { globSync, readFileSync } from "node:fs";
import type { Reach } from "../../src/platform/db/statements/statement.ts";

/** Rows that a statement locks before it answers them: of which tables, in which order of columns. */
type LockedRows = { tables: readonly string[]; order: readonly string[]; isSkipping: boolean };

/** A function of a store as its sheet (apps/server/statements) has it, with its statements below each other. */
export type Sender = {
  /** The path of the store within the sources. */
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

function senderOf(path: string, entry: string): Sender {
  const field = (label: string): string => new RegExp(`^--   ${label} +(.*)$`, "m").exec(entry)?.[1] ?? "";
  return {
    path,
    caller: /^-- (.*)$/m.exec(entry)?.[1] ?? "",
    // The generator writes no other one.
    reach: field("reach") as Reach,
    reads: namesIn(field("reads")),
    writes: namesIn(field("writes")),
    locks: locksIn(field("locks")),
    text: entry.replaceAll(/^--.*\n?/gm, ""),
  };
}

/** Every function of a store that sends something, as the committed sheets have it. */
export const sendersOfSheets: readonly Sender[] = globSync(`${SHEETS}**/*.sql`)
  .sort()
  .flatMap((sheet) =>
    readFileSync(sheet, "utf8")
      .split("\n\n-- ===== ")
      .slice(1)
      .flatMap((part) => {
        const [path = "", ...entries] = part.split("\n\n-- ");
        return entries.map((entry) => senderOf(path, `-- ${entry}`));
      }),
  );
