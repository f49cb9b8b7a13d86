import { lostNumbers } from "../../../platform/text/exact-json.ts";
import { INSTANT_FORMS, readInstantIn } from "../../../platform/time/written-instants.ts";
import type { Zone } from "../../../platform/time/zone.ts";
import type { CellType } from "../schema.ts";
import { isNothing } from "./columns.pure.ts";

/** What traits and properties may have in sum, in bytes of compact JSON. */
export const MAX_JSON_BYTES = 4_096;
/** As deep as the API takes JSON. */
const MAX_DEPTH = 64;

/** Why a cell cannot be read: a word for programs, and the end of a sentence that begins with the column. */
export type CellFault = { rule: string; ends: string };

/** A cell as compact JSON; null where it says nothing. */
export type ReadCell = { json: string } | { fault: CellFault } | null;

const UNSTORABLE: CellFault = {
  rule: "characters",
  ends: "has a NUL character or half of a surrogate pair, which cannot be stored",
};
const TOO_LARGE: CellFault = { rule: "too_large", ends: `is over ${MAX_JSON_BYTES} bytes as JSON` };
const TOO_DEEP: CellFault = { rule: "too_deep", ends: `is nested deeper than ${MAX_DEPTH} levels` };
const LOST: CellFault = {
  rule: "number",
  ends: "has a number that cannot be kept exactly: write it as a text",
};
const NO_JSON: CellFault = { rule: "json", ends: "is not JSON" };
const BINARY: CellFault = { rule: "binary", ends: "has bytes that are no text" };

/** Whether PostgreSQL can store a text. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Whole numbers that JavaScript rounds are ids of other products; writers of JSON write them out up to this size. */
const isRounded = (value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What is wrong with what JSON has in it; it is small by now, so each value of it is looked at. */
function contentFault(value: unknown, depth: number): CellFault | null {
  if (typeof value === "string") return isStorable(value) ? null : UNSTORABLE;
  if (typeof value === "number") return isRounded(value) ? LOST : null;
  if (!isContainer(value)) return null;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  for (const [key, child] of Object.entries(value)) {
    const fault = isStorable(key) ? contentFault(child, depth + 1) : UNSTORABLE;
    if (fault !== null) return fault;
  }
  return null;
}

/** Whole numbers of 64 bits, which Parquet has and JSON has not: those that JavaScript would round become texts. */
const withoutBigints = (_key: string, value: unknown): unknown =>
  typeof value !== "bigint" ? value : Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

function stringified(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, withoutBigints);
  } catch {
    // Nested deeper than the stack, or in itself, which no file can write.
    return undefined;
  }
}

/** A list or an object as compact JSON. */
function readContainer(value: object): ReadCell {
  if (ArrayBuffer.isView(value)) return { fault: BINARY };
  const json = stringified(value);
  if (json === undefined) return { fault: TOO_DEEP };
  // What is as small as a user may have is looked at wholly; anything else is refused for its size.
  if (json.length > MAX_JSON_BYTES) return { fault: TOO_LARGE };
  const fault = contentFault(value, 1);
  if (fault !== null) return { fault };
  // An instant that is none is written so.
  return json === "null" ? null : { json };
}

/** A value as it stands in a file that has types. */
export function readTyped(value: unknown): ReadCell {
  switch (typeof value) {
    case "string":
      return isStorable(value) ? { json: JSON.stringify(value) } : { fault: UNSTORABLE };
    case "number":
      if (isRounded(value)) return { fault: LOST };
      return Number.isFinite(value) ? { json: JSON.stringify(value) } : null;
    case "boolean":
      return { json: value ? "true" : "false" };
    case "bigint":
      return { json: JSON.stringify(withoutBigints("", value)) };
    case "object":
      return value === null ? null : readContainer(value);
    default:
      return null;
  }
}

const YES = new Set(["true", "t", "yes", "y", "1"]);
const NO = new Set(["false", "f", "no", "n", "0"]);

/** Whether a cell says yes. */
export const isYes = (value: unknown): boolean =>
  value === true ||
  value === 1 ||
  value === 1n ||
  (typeof value === "string" && YES.has(value.trim().toLowerCase()));

/** Digits that every double keeps; a zero before others would be lost, and it is part of a code. */
const KEPT_NUMBER = /^-?(?:0|[1-9]\d{0,14})$|^-?(?=[\d.]{3,16}$)(?:0|[1-9]\d{0,13})\.\d{1,14}$/;

/** Whether JavaScript writes a number as this text has it. */
export const isExactNumber = (text: string): boolean => {
  const value = Number(text);
  return Number.isFinite(value) && !isRounded(value) && String(value) === text;
};

function readNumber(text: string): ReadCell {
  const typed = text.trim();
  if (!KEPT_NUMBER.test(typed) && !isExactNumber(typed))
    return { fault: { rule: "number", ends: "is not a number that can be kept exactly" } };
  return { json: JSON.stringify(Number(typed)) };
}

function readBoolean(text: string): ReadCell {
  const typed = text.trim().toLowerCase();
  if (YES.has(typed)) return { json: "true" };
  return NO.has(typed)
    ? { json: "false" }
    : { fault: { rule: "boolean", ends: "is neither true nor false" } };
}

/** JSON of a cell. Mailchimp writes lists without their brackets: `"VIP","Blog"`. */
export function parseCell(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text.trimStart().startsWith('"') ? `[${text}]` : text) };
  } catch {
    return null;
  }
}

function readJson(text: string): ReadCell {
  // Blanks between values go, so that a longer text may still be small.
  if (text.length > 16 * MAX_JSON_BYTES) return { fault: TOO_LARGE };
  const parsed = parseCell(text);
  if (parsed === null) return { fault: NO_JSON };
  for (const _ of lostNumbers(text)) return { fault: LOST };
  return readTyped(parsed.value);
}

/** Reads the cells of a column. A value that is no text has its type already, and keeps it, but for instants. */
export function cellReader(type: CellType, zone: Zone): (value: unknown) => ReadCell {
  if (type === "time")
    return (value) => {
      if (isNothing(value)) return null;
      const ms = readInstantIn(zone, value);
      return ms === null
        ? { fault: { rule: "time", ends: `is not a time that can be read, such as ${INSTANT_FORMS}` } }
        : { json: String(ms) };
    };
  const readText = { number: readNumber, boolean: readBoolean, json: readJson, text: readTyped }[type];
  return (value) => (typeof value === "string" ? readText(value) : readTyped(value));
}
