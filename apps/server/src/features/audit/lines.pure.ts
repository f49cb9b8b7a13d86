/** An entry as a file has it. */
export type FiledEntry = {
  id: number;
  at: number;
  projectId: string | null;
  by: { kind: string; id: string | null; name: string };
  operation: string;
  target: string | null;
  fields: readonly string[];
  before: unknown;
  after: unknown;
  requestId: string | null;
};

const COLUMNS: readonly [string, (entry: FiledEntry) => unknown][] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => new Date(at).toISOString()],
  ["project", ({ projectId }) => projectId],
  ["by", ({ by }) => by.name],
  ["byKind", ({ by }) => by.kind],
  ["byId", ({ by }) => by.id],
  ["operation", ({ operation }) => operation],
  ["target", ({ target }) => target],
  ["fields", ({ fields }) => fields.join(" ")],
  ["before", ({ before }) => before],
  ["after", ({ after }) => after],
  ["requestId", ({ requestId }) => requestId],
];

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
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const harmless = text.replace(FORMULA, (end) => `${end}'`);
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const row = (cells: readonly unknown[]): string => `${cells.map(cell).join(",")}\r\n`;

export const CSV_HEAD = row(COLUMNS.map(([name]) => name));
export const csvLine = (entry: FiledEntry): string => row(COLUMNS.map(([, read]) => read(entry)));
export const jsonLine = (entry: FiledEntry): string => `${JSON.stringify(entry)}\n`;
