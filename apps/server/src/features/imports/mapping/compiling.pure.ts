import { INSTANT_FORMS, readInstantIn } from "../../../platform/time/written-instants.ts";
import type { Zone } from "../../../platform/time/zone.ts";
import type { FileFormat, ImportKind, ImportMapping, ImportOptions, LineFault, Preset } from "../schema.ts";
import { isStorable } from "./cells.pure.ts";
import { type ColumnReader, isNothing, type objectIn } from "./columns.pure.ts";
import type { FileShape, LineHabits } from "./file-shape.pure.ts";
import { MappingFault, namedColumns } from "./fit.pure.ts";
import { faultAt, type PartsReader, partsReader } from "./parts.pure.ts";
import { columnLike } from "./presets.pure.ts";
import { type AddressParser, idText, type LineAddress, readLineAddress } from "./subjects.pure.ts";

/** What a reader of lines is made from; `keptDays` is how long the project keeps events, null for ever. `now` is epoch milliseconds. */
export type MappingGiven = {
  kind: ImportKind;
  mapping: ImportMapping;
  options: ImportOptions;
  format: FileFormat;
  preset: Preset | null;
  now: number;
  keptDays: number | null;
};

/** What a line has in its columns. */
export type Fields = Readonly<Record<string, unknown>>;
/** The same, with what its readers share. */
export type Compiling = MappingGiven & {
  shape: FileShape | null;
  line: LineHabits;
  zone: Zone;
  /** Whether blanks around a name or an id are the table's. */
  isTrimmed: boolean;
  read: (column: string) => ColumnReader;
  readObject: typeof objectIn;
  parseAddress: AddressParser;
};
/** The column of a mapping, and those that a tool has for the same where it is empty. */
export function columnsFor(
  mapped: string,
  names: readonly string[] | undefined,
  columns: readonly string[],
): string[] {
  const found = (names ?? []).flatMap((name) => columnLike(columns, name) ?? []);
  const place = found.indexOf(mapped);
  return [mapped, ...(place < 0 ? [] : found.slice(place + 1))];
}

/** Reads an instant of the past; null where there is none, or one of which the faults tell. */
export type InstantReader = (fields: Fields, faults: LineFault[]) => number | null;

/** Reads the instant of the first of some columns that is not empty. */
export function instantReader(columns: readonly string[], { read, zone, now }: Compiling): InstantReader {
  const readers = columns.map((column) => ({ column, cell: read(column) }));
  return (fields, faults) => {
    for (const { column, cell } of readers) {
      const value = cell(fields);
      if (isNothing(value)) continue;
      const ms = readInstantIn(zone, value);
      if (ms !== null && ms >= 0 && ms <= now) return ms;
      if (ms === null)
        faults.push(faultAt(column, "time", `is not a time that can be read, such as ${INSTANT_FORMS}`));
      else
        faults.push(
          ms < 0
            ? faultAt(column, "too_early", "lies before 1970")
            : faultAt(column, "future", "lies in the future"),
        );
      return null;
    }
    return null;
  };
}

/** Reads the address of a line; null where there is none, or one of which the faults tell. */
export type AddressReader = (fields: Fields, faults: LineFault[]) => LineAddress | null;

/** The column that says which lines have an address, where the mapping takes the addresses of a tool that has such a column. */
export function addressCondition({ mapping: { email }, shape, line, format }: Compiling): string | null {
  const names = shape?.email?.map((name) => columnLike(format.columns, name)) ?? [];
  if (email === undefined || line.emailIf === undefined || !names.includes(email)) return null;
  return columnLike(format.columns, line.emailIf.column);
}

/** Reads the address of the column that the mapping names. */
export function addressReader(compiling: Compiling): AddressReader {
  const { mapping, read, line, parseAddress } = compiling;
  const { email } = mapping;
  if (email === undefined) return () => null;
  const cell = read(email);
  const condition = addressCondition(compiling);
  const kindOfLine = condition === null ? null : read(condition);
  return (fields, faults) => {
    if (kindOfLine !== null && idText(kindOfLine(fields), true) !== line.emailIf?.is) return null;
    return readLineAddress(parseAddress, email, cell(fields), faults);
  };
}

/** Reads the traits of a line, or its properties. */
export function partsOf(field: "traits" | "props", compiling: Compiling): PartsReader {
  const { kind, mapping, format, shape, line } = compiling;
  const named = namedColumns(field, mapping, format.columns, shape);
  for (const { as } of named)
    if (!isStorable(as)) throw new MappingFault(`mapping.${field} has a name that cannot be stored.`);
  const isTraits = field === "traits";
  return partsReader({
    noun: isTraits ? "traits" : "properties",
    named,
    read: compiling.read,
    readObject: compiling.readObject,
    zone: compiling.zone,
    keepsEmpty: format.format !== "csv",
    keepsNull: !isTraits,
    ownKeys: line.ownKeys && isTraits ? { ...line.ownKeys, but: [] } : line.ownKeys,
    // An address comes with a file of users, of which is known who gets no mail.
    without: isTraits && (kind === "events" || mapping.email !== undefined) ? ["email"] : [],
  });
}
