import { parse } from "csv-parse/sync";
import type { FileFormat, FileRecord, ImportKind, ImportMapping, ImportOptions, Preset } from "../schema.ts";
import { compileMapping, type LineReader } from "./compile.pure.ts";
import { guessMapping } from "./guess.pure.ts";

/** 28 November 2026. */
export const NOW = Date.UTC(2026, 10, 28);

/** A small file, as the readers of files hand it over. */
export type SmallFile = { format: FileFormat; records: readonly FileRecord[] };

/** A table with its line of names. */
export function csvFile(text: string): SmallFile {
  const [columns = [], ...rows] = parse(text) as string[][];
  const records = rows.map((cells, index) => ({
    line: index + 2,
    fields: Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ""])),
  }));
  return { format: { format: "csv", isGzip: false, delimiter: ",", columns }, records };
}

/** An object a line. */
export function objectsFile(
  objects: readonly Readonly<Record<string, unknown>>[],
  format: "ndjson" | "parquet" = "ndjson",
): SmallFile {
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const records = objects.map((fields, index) => ({ line: index + 1, fields }));
  return { format: { format, isGzip: false, delimiter: null, columns }, records };
}

type Line = ReturnType<LineReader>;

/** What the lines of a file come to under a mapping. */
export function readLines(
  kind: ImportKind,
  { format, records }: SmallFile,
  mapping: ImportMapping,
  options: ImportOptions = {},
  more: { preset?: Preset | null; keptDays?: number | null } = {},
): Line[] {
  const { preset = null, keptDays = null } = more;
  const read = compileMapping({ kind, mapping, options, format, preset, now: NOW, keptDays });
  return records.map(read);
}

/** What the lines of a file come to as it is guessed. */
export function readGuessed(kind: ImportKind, file: SmallFile, chosen: Preset | null = null): Line[] {
  const { mapping, options, preset } = guessMapping(kind, file.format, file.records, chosen);
  return readLines(kind, file, mapping, options, { preset });
}

/** Mappings of the columns of `faultsOf`. */
export const USERS = { userId: "id", email: "email", firstSeenAt: "seen" } as const satisfies ImportMapping;
export const EVENTS = {
  userId: "id",
  event: "event",
  ts: "ts",
  eventId: "key",
} as const satisfies ImportMapping;

/** A column that becomes a trait or a property. */
export const one = (column: string, type: "text" | "number" | "boolean" | "time" | "json", as = column) => ({
  column,
  as,
  type,
});

/** The faults of one line of a table, as `rule: text`. */
export function faultsOf(
  kind: "users" | "events" | "suppressions",
  mapping: ImportMapping,
  fields: Readonly<Record<string, unknown>>,
  more: { options?: ImportOptions; keptDays?: number } = {},
): string[] {
  const columns = ["id", "email", "seen", "event", "ts", "key", "a", "b"];
  const format: FileFormat = { format: "csv", isGzip: false, delimiter: ",", columns };
  const { options = {}, keptDays = null } = more;
  const read = compileMapping({ kind, mapping, options, format, preset: null, now: NOW, keptDays });
  const line = read({ line: 2, fields });
  return "faults" in line ? line.faults.map(({ rule, text }) => `${rule}: ${text}`) : [];
}
