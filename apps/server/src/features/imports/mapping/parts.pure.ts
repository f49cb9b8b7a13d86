import { lostNumbers } from "../../../platform/text/exact-json.ts";
import type { Zone } from "../../../platform/time/zone.ts";
import type { LineFault } from "../schema.ts";
import { cellReader, isStorable, MAX_JSON_BYTES, type ReadCell, readTyped } from "./cells.pure.ts";
import { type ColumnReader, isNothing, type objectIn } from "./columns.pure.ts";
import { EACH_KEY, type LineHabits } from "./file-shape.pure.ts";
import type { NamedColumn } from "./fit.pure.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How the columns of an object are put together. */
export type PartsGiven = {
  /** What the object is called in a refusal for its size: `traits`. */
  noun: string;
  named: readonly NamedColumn[];
  read: (column: string) => ColumnReader;
  readObject: typeof objectIn;
  zone: Zone;
  /** Whether a text without characters is a value: in a table, it says nothing. */
  keepsEmpty: boolean;
  /** Whether a key that is null in an object stays. */
  keepsNull: boolean;
  ownKeys: LineHabits["ownKeys"];
  /** Keys of objects that do not come along. */
  without: readonly string[];
};

/** Compact JSON of the parts (`{}` for none), and what an object has under the key `email`, which is checked elsewhere. */
export type Parts = { json: string; email: unknown };
/** @param email the trait `email`, where the file has an address */
export type PartsReader = (fields: Fields, faults: LineFault[], email?: string) => Parts;

/** The pairs of the JSON, and what objects bring beside them. `keys`: those that came from an object, where there are several. */
type Gathered = { pairs: string[]; email: unknown; keys: Set<string> | null };
type Part = (fields: Fields, into: Gathered, faults: LineFault[]) => void;

/** What is wrong with a cell, as a refusal of its line. */
export const faultAt = (field: string, rule: string, ends: string): LineFault => ({
  field,
  rule,
  text: `${field} ${ends}.`,
});

function columnPart({ column, as, type }: NamedColumn, given: PartsGiven): Part {
  const read = given.read(column);
  const readCell = cellReader(type, given.zone);
  const key = `${JSON.stringify(as)}:`;
  const isTextKept = given.keepsEmpty && type === "text";
  return (fields, { pairs }, faults) => {
    const value = read(fields);
    if (isNothing(value) && !(isTextKept && typeof value === "string")) return;
    const cell = readCell(value);
    if (cell === null) return;
    if ("json" in cell) pairs.push(key + cell.json);
    else faults.push(faultAt(column, cell.fault.rule, cell.fault.ends));
  };
}

const isOwnKey = (key: string, own: LineHabits["ownKeys"]): boolean =>
  own !== undefined && ((key.startsWith(own.prefix) && !own.but.includes(key)) || own.and.includes(key));

/** A key of an object whose keys all come along. */
function readKey(value: unknown, isNullKept: boolean): ReadCell {
  const cell = readTyped(value);
  return cell === null && isNullKept ? { json: "null" } : cell;
}

/** Keys of an object in whose JSON a number stands that JavaScript would round. */
const lostKeys = (cell: unknown): ReadonlySet<unknown> =>
  typeof cell === "string" ? new Set(Array.from(lostNumbers(cell), ([key]) => key)) : new Set();

/** @param taken names that have a column of their own, which counts */
function objectPart(column: string, taken: ReadonlySet<string>, given: PartsGiven): Part {
  const read = given.read(column);
  return (fields, into, faults) => {
    const value = read(fields);
    if (isNothing(value) || value === "null") return;
    const object = given.readObject(value);
    if (object === null) {
      faults.push(faultAt(column, "json", "is not a JSON object"));
      return;
    }
    let lost: ReadonlySet<unknown> | null = null;
    for (const [key, child] of Object.entries(object)) {
      if (isOwnKey(key, given.ownKeys) || given.without.includes(key)) continue;
      if (key === "email") into.email ??= child;
      // Of two objects, the first counts.
      if (taken.has(key) || into.keys?.has(key)) continue;
      into.keys?.add(key);
      const field = `${column}.${key}`;
      lost ??= lostKeys(value);
      const cell = lost.has(key)
        ? { fault: { rule: "number", ends: "has a number that cannot be kept exactly: write it as a text" } }
        : isStorable(key)
          ? readKey(child, given.keepsNull)
          : { fault: { rule: "characters", ends: "has a name that cannot be stored" } };
      if (cell === null) continue;
      if ("json" in cell) into.pairs.push(`${JSON.stringify(key)}:${cell.json}`);
      else faults.push(faultAt(isStorable(field) ? field : column, cell.fault.rule, cell.fault.ends));
    }
  };
}

/** Reads the columns that become one object, as compact JSON of at most 4,096 bytes. */
export function partsReader(given: PartsGiven): PartsReader {
  const columns = given.named.filter(({ as }) => as !== EACH_KEY);
  const objects = given.named.filter(({ as }) => as === EACH_KEY);
  const taken = new Set(columns.map(({ as }) => as));
  const parts = [
    ...columns.map((named) => columnPart(named, given)),
    ...objects.map(({ column }) => objectPart(column, taken, given)),
  ];
  return (fields, faults, email) => {
    const into: Gathered = {
      pairs: email === undefined ? [] : [`"email":${JSON.stringify(email)}`],
      email: undefined,
      keys: objects.length > 1 ? new Set() : null,
    };
    for (const part of parts) part(fields, into, faults);
    const json = `{${into.pairs.join(",")}}`;
    if (json.length * 3 > MAX_JSON_BYTES && Buffer.byteLength(json) > MAX_JSON_BYTES)
      faults.push({
        field: "",
        rule: "too_large",
        text: `The ${given.noun} come to more than ${MAX_JSON_BYTES} bytes as JSON.`,
      });
    return { json, email: into.email };
  };
}
