/**
 * What a spreadsheet takes for the beginning of a formula, also in full width: at the beginning of a cell, and behind what some of them take
 * for the end of one (`;`, a tab, a line).
 */
const FORMULA = /(^|[;\t\r\n])(?=[ \u00a0"']*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212])|^(?=[\t\r\n])/g;

/**
 * A cell of a CSV file (RFC 4180). Where a spreadsheet would run a text, or a part of it, as a formula, an apostrophe goes before it, because
 * names and values are whatever people and programs wrote.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const harmless = text.replace(FORMULA, (end) => `${end}'`);
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A line of a CSV file. Objects and lists are written as JSON, null as an empty cell. */
export const csvRow = (cells: readonly unknown[]): string => `${cells.map(cell).join(",")}\r\n`;

/** What a CSV file begins with so that Excel reads it as UTF-8; programs skip it (RFC 3629, 6). */
export const CSV_START = "\ufeff";

/** An instant (epoch ms) as a table has it. */
export const csvInstant = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
