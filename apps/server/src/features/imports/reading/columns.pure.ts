import { beginningOf } from "@tidings/client/text";
import type { LineFault } from "../schema.ts";

/** The most columns that a file may have. */
export const MAX_COLUMNS = 1_000;
const MAX_NAME = 200;

/** The name of a column on one line, without blanks around it. */
const cleanName = (cell: string): string =>
  beginningOf(cell.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ").trim(), MAX_NAME).trim();

/** A name that none has yet: the second `email` becomes `email 2`. */
function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) {
    const suffix = ` ${number}`;
    unique = beginningOf(name, MAX_NAME - suffix.length).trim() + suffix;
  }
  return unique;
}

/** The names of the columns of a CSV file, from the cells of its first line: trimmed, unique, and none is empty. */
export function columnNames(cells: readonly string[]): string[] {
  const taken = new Set<string>();
  for (const [index, cell] of cells.entries())
    taken.add(uniqueName(cleanName(cell) || `column ${index + 1}`, taken));
  return [...taken];
}

const mostly = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

/** What is wrong with a line that has more or fewer cells than the file has columns. */
export const cellsFault = (cells: number, columns: number): LineFault => ({
  field: "",
  rule: "cells",
  text: `The line has ${mostly(cells, "cell")}, and the file ${mostly(columns, "column")}.`,
});

const CHARACTER_RULES = {
  utf8: "has bytes that are not UTF-8",
  nul: "has a NUL character",
  quote: "has text behind its closing quote: a quote within a cell has to be written twice",
} as const;

/** What is wrong with a line whose characters cannot be taken; `field` is empty where no column is meant. */
export const characterFault = (rule: keyof typeof CHARACTER_RULES, field = ""): LineFault => ({
  field,
  rule,
  text: `${field === "" ? "The line" : `The column ${field}`} ${CHARACTER_RULES[rule]}.`,
});
