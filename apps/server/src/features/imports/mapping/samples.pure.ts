import { cutText } from "@tidings/client/text";
import { readFileInstant } from "../../../platform/time/written-instants.ts";
import { parseAddress } from "../../email/addresses/rules.ts";
import type { CellType, FileFormat, FileRecord } from "../schema.ts";
import { isExactNumber, parseCell } from "./cells.pure.ts";
import { type ColumnReader, columnReader, isNothing, objectIn, objectReader } from "./columns.pure.ts";

/** What the first lines of a file have in its columns, without what says nothing. */
export type Samples = { format: FileFormat; values: (column: string) => readonly unknown[] };

const [MOST_SHOWN, LONGEST_SHOWN] = [3, 80];

/** The values of columns in the lines that could be read. */
export function samplesOf(
  format: FileFormat,
  records: readonly FileRecord[],
  restore: ((cell: unknown) => unknown) | null,
): Samples {
  const columns = new Set(format.columns);
  const lines = records.flatMap((record) => ("fields" in record ? [record.fields] : []));
  const habits = { readObject: objectReader(), restore };
  const known = new Map<string, readonly unknown[]>();
  const read = (column: string): readonly unknown[] => {
    const cell: ColumnReader = columnReader(column, columns, habits) ?? (() => undefined);
    return lines.map(cell).filter((value) => !isNothing(value));
  };
  return {
    format,
    values: (column) => {
      const values = known.get(column) ?? read(column);
      known.set(column, values);
      return values;
    },
  };
}

const shown = (value: unknown): string => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  if (typeof value !== "object") return String(value);
  try {
    return (
      JSON.stringify(value, (_key, child: unknown) => (typeof child === "bigint" ? String(child) : child)) ??
      ""
    );
  } catch {
    return "";
  }
};

/** Up to three different values, for people. */
export const shownSamples = (values: readonly unknown[]): string[] => {
  const texts = new Set<string>();
  for (const value of values) {
    // What is cut anyway need not be read to its end.
    texts.add(cutText(shown(value).slice(0, 1_000), LONGEST_SHOWN));
    if (texts.size === MOST_SHOWN) break;
  }
  return [...texts].filter((text) => text !== "");
};

/** Whether there are values, and all of them are so. */
const all = (values: readonly unknown[], isSo: (value: unknown) => boolean): boolean =>
  values.length > 0 && values.every(isSo);

const isText = (value: unknown): value is string => typeof value === "string";
const WORDS_OF_YES_OR_NO = new Set(["true", "false", "t", "f", "yes", "no", "y", "n", "1", "0"]);

/** Whether all values say yes or no. */
export const areYesOrNo = (values: readonly unknown[]): boolean =>
  all(
    values,
    (value) =>
      typeof value === "boolean" ||
      value === 0 ||
      value === 1 ||
      (isText(value) && WORDS_OF_YES_OR_NO.has(value.trim().toLowerCase())),
  );

/** Whether all values are instants. */
/** Whether at least half of the values are instants: of a list, some may be broken. */
export const areMostlyInstants = (values: readonly unknown[]): boolean =>
  values.length > 0 &&
  values.filter((value) => readFileInstant(value, "UTC") !== null).length * 2 >= values.length;

export const areInstants = (values: readonly unknown[]): boolean =>
  all(values, (value) => readFileInstant(value, "UTC") !== null);

/** Whether all values are addresses of mail. */
export const areAddresses = (values: readonly unknown[]): boolean =>
  all(values, (value) => parseAddress(value) !== null);

/** Whether all values are objects, or JSON of some. */
export const areObjects = (values: readonly unknown[]): boolean =>
  all(values, (value) => objectIn(value) !== null);

const isJson = (value: unknown): boolean =>
  isText(value) && /^\s{0,64}[[{]/.test(value) && parseCell(value) !== null;

const isTrueOrFalse = (value: unknown): boolean => isText(value) && /^(?:true|false)$/i.test(value.trim());

/** How the cells of a column are read. In a file that has types, a text stays one, unless all are JSON in a file without objects. */
export function typeOf(values: readonly unknown[], { format }: FileFormat): CellType {
  if (all(values, (value) => typeof value === "number" || typeof value === "bigint")) return "number";
  if (all(values, (value) => typeof value === "boolean")) return "boolean";
  if (all(values, (value) => typeof value === "object" && !(value instanceof Date))) return "json";
  if (format !== "ndjson" && all(values, isJson)) return "json";
  if (format !== "csv") return "text";
  if (all(values, (value) => isText(value) && isExactNumber(value))) return "number";
  return all(values, isTrueOrFalse) ? "boolean" : "text";
}
