import { type Zone, zoneNamed } from "../../../platform/time/zone.ts";
import type { CellType, ImportKind, ImportMapping, ImportOptions } from "../schema.ts";
import { isStorable } from "./cells.pure.ts";
import { stepsOf } from "./columns.pure.ts";
import { EACH_KEY, type FileShape } from "./file-shape.pure.ts";
import { isLeftOut } from "./presets.pure.ts";

/** The mapping does not fit the kind of the import, or the file. Its message is a sentence that names the field. */
export class MappingFault extends Error {}

/** A column that becomes a trait or a property. */
export type NamedColumn = { column: string; as: string; type: CellType };

/** What a file of a kind may say. */
const FIELDS: Readonly<Record<ImportKind, readonly (keyof ImportMapping)[]>> = {
  users: ["userId", "email", "firstSeenAt", "traits", "suppressed"],
  events: ["userId", "email", "event", "ts", "eventId", "props", "traits"],
  suppressions: ["email", "suppressed"],
};
const ONE_COLUMN = ["userId", "email", "firstSeenAt", "event", "ts", "eventId"] as const;

/** Names of all columns that a mapping uses elsewhere than in `rest`. */
function usedColumns(mapping: ImportMapping): ReadonlySet<string> {
  const listed = [mapping.traits, mapping.props].flatMap((named) =>
    named === undefined || named === "rest" ? [] : named.map(({ column }) => column),
  );
  const single = ONE_COLUMN.flatMap((field) => mapping[field] ?? []);
  const ofRules = (mapping.suppressed ?? []).flatMap(({ column, at }) => [column ?? [], at ?? []].flat());
  return new Set([...listed, ...single, ...ofRules]);
}

/** The columns that `rest` stands for: each that nothing else names, and that its tool does not keep for itself. */
export function restColumns(
  mapping: ImportMapping,
  columns: readonly string[],
  shape: FileShape | null,
): readonly string[] {
  const used = usedColumns(mapping);
  // The instants of a tool stand in for each other, where one is empty.
  const kept = [shape?.leftOut, shape?.firstSeenAt, shape?.ts].flatMap((names) => names ?? []);
  const isFree = (column: string) =>
    column.trim() !== "" && isStorable(column) && !used.has(column) && !isLeftOut(column, kept);
  // Where another column has the address, one of this name would be a second one.
  return columns.filter((column) => isFree(column) && !(column === "email" && mapping.email !== undefined));
}

/** The columns of a field that names several, `rest` written out as texts. */
export function namedColumns(
  field: "traits" | "props",
  mapping: ImportMapping,
  columns: readonly string[],
  shape: FileShape | null,
): readonly NamedColumn[] {
  const named = mapping[field] ?? [];
  if (named !== "rest") return named;
  return restColumns(mapping, columns, shape).map((column) => ({ column, as: column, type: "text" }));
}

function assertKind(kind: ImportKind, mapping: ImportMapping): void {
  for (const field of Object.keys(mapping) as (keyof ImportMapping)[])
    if (mapping[field] !== undefined && !FIELDS[kind].includes(field))
      throw new MappingFault(`mapping.${field} does not belong to a file of ${kind}.`);
  if (mapping.traits === "rest" && kind === "events")
    throw new MappingFault("mapping.traits must be a list in a file of events.");
}

/** @throws MappingFault where the fields that say who a line is about, and what it says, are not all there */
function assertComplete(kind: ImportKind, mapping: ImportMapping, options: ImportOptions): void {
  const demand = (field: "userId" | "email" | "event" | "ts", why: string): void => {
    if (mapping[field] === undefined) throw new MappingFault(`mapping.${field} is missing: ${why}.`);
  };
  if (kind === "suppressions") {
    demand("email", "name the column of the address");
    if ((mapping.suppressed ?? []).length === 0)
      throw new MappingFault(
        "mapping.suppressed is missing: say which lines are about an address that gets no mail.",
      );
    return;
  }
  if (kind === "events") {
    demand("event", "name the column that says what the user did");
    demand("ts", "name the column that says when");
  }
  if ((options.id ?? "column") === "column")
    demand("userId", "name the column of the user's id, or set options.id to email or match");
  else demand("email", `options.id is ${options.id}, which takes the column of the address`);
}

/** @throws MappingFault for a column that the file does not have */
function assertColumns(mapping: ImportMapping, columns: ReadonlySet<string>): void {
  const check = (field: string, column: string): void => {
    if (stepsOf(column, columns) === null)
      throw new MappingFault(`mapping.${field} names no column of the file: ${column}.`);
  };
  for (const field of ONE_COLUMN) {
    const column = mapping[field];
    if (column !== undefined) check(field, column);
  }
  for (const field of ["traits", "props"] as const) {
    const named = mapping[field];
    if (named === undefined || named === "rest") continue;
    const names = new Set<string>();
    named.forEach(({ column, as, type }, index) => {
      check(`${field}[${index}].column`, column);
      if (as === EACH_KEY && type !== "json")
        throw new MappingFault(
          `mapping.${field}[${index}].type must be json where it is called ${EACH_KEY}.`,
        );
      if (as === EACH_KEY) return;
      if (names.has(as)) throw new MappingFault(`mapping.${field}[${index}].as is there twice: ${as}.`);
      if (as === "email" && field === "traits" && mapping.email !== undefined)
        throw new MappingFault(`mapping.${field}[${index}].as must not be email, which mapping.email is.`);
      names.add(as);
    });
  }
  (mapping.suppressed ?? []).forEach(({ column, when, at }, index) => {
    const rule = `suppressed[${index}]`;
    if ((column === null) !== (when === "always"))
      throw new MappingFault(`mapping.${rule}.column must be null with always, and only then.`);
    if (column !== null) check(`${rule}.column`, column);
    if (at !== undefined) check(`${rule}.at`, at);
  });
}

/**
 * The zone of a file's times, once its mapping fits.
 * @throws MappingFault
 */
export function assertFit(
  kind: ImportKind,
  mapping: ImportMapping,
  options: ImportOptions,
  columns: ReadonlySet<string>,
): Zone {
  assertKind(kind, mapping);
  assertComplete(kind, mapping, options);
  assertColumns(mapping, columns);
  const { timeZone = "UTC" } = options;
  const zone = zoneNamed(timeZone);
  if (zone === null) throw new MappingFault(`options.timeZone is not an IANA time zone: ${timeZone}.`);
  return zone;
}
