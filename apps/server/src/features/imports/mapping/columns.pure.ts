/** What a record has in a column; undefined where it has nothing there. */
export type ColumnReader = (fields: Readonly<Record<string, unknown>>) => unknown;

/** A cell with longer JSON has more than any user or event may. */
const MAX_JSON = 262_144;

/** Whether a cell says nothing. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (typeof value === "number" && !Number.isFinite(value));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object that a cell is, or has as JSON; null for anything else. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== "string") return isObject(value) && !(value instanceof Date) ? value : null;
  if (value.length > MAX_JSON || !value.trimStart().startsWith("{")) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** The same; a text that comes again and again, as several columns are read from one cell, is parsed once. */
export function objectReader(): typeof objectIn {
  let text: unknown;
  let object: ReturnType<typeof objectIn> = null;
  return (value) => {
    if (typeof value !== "string") return objectIn(value);
    if (value === text) return object;
    text = value;
    object = objectIn(value);
    return object;
  };
}

/** How all cells of a file are read. `restore`: what turns a cell into the text that it stands for; null where each is that text. */
export type CellHabits = { readObject: typeof objectIn; restore: ((cell: unknown) => unknown) | null };

/** What begins a formula, as lists of Tidings see it, behind an apostrophe that they have put there. */
const DISARMED =
  /(^|[;\t\r\n])'(?=[ \u00a0"']{0,64}[=+\-@\uff1d\uff0b\uff0d\uff20\u2212])|^'(?=[\t\r\n](?!'))/g;

/** A cell of a list that Tidings wrote, without the apostrophes that keep spreadsheets from running it. */
export const withoutApostrophes = (cell: unknown): unknown =>
  typeof cell === "string" && cell.includes("'") ? cell.replace(DISARMED, "$1") : cell;

const own = (fields: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** The column that a name begins with, and the keys behind it; null where a file has no such column. */
export function stepsOf(name: string, columns: ReadonlySet<string>): readonly string[] | null {
  if (columns.has(name)) return [name];
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const column = name.slice(0, dot);
    if (columns.has(column)) return [column, ...name.slice(dot + 1).split(".")];
  }
  return null;
}

/**
 * Reads a column by its name; `a.b` is the key `b` of the object in column `a`, where there is no column called `a.b`.
 * Null where a file has no such column.
 */
export function columnReader(
  name: string,
  columns: ReadonlySet<string>,
  { readObject, restore }: CellHabits,
): ColumnReader | null {
  const steps = stepsOf(name, columns);
  if (steps === null) return null;
  const [column = name, ...keys] = steps;
  const cell: ColumnReader =
    restore === null ? (fields) => own(fields, column) : (fields) => restore(own(fields, column));
  if (keys.length === 0) return cell;
  return (fields) =>
    keys.reduce<unknown>((value, key) => {
      const object = readObject(value);
      return object === null ? undefined : own(object, key);
    }, cell(fields));
}
