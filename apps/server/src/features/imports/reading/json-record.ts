import { isUtf8 } from "node:buffer";
import { keepsNumber, lostNumbers } from "../../../platform/text/exact-json.ts";
import type { FileRecord, LineFault } from "../schema.ts";
import { characterFault } from "./columns.pure.ts";

/** So deep may objects and lists lie within each other. What is deeper would fill the stack of whatever writes it again. */
const MAX_DEPTH = 64;

const jsonFault = (text: string): LineFault => ({ field: "", rule: "json", text });

type Reviver = (key: string, value: unknown) => unknown;

/** A number that JavaScript cannot keep becomes its text, so that a long id stays the id that it is. */
const keepNumbers = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined && !keepsNumber(context.source)
    ? context.source
    : value;

/** What JSON says, with numbers that JavaScript cannot keep as their texts. Throws where it is no JSON. */
export function exactJson(text: string): unknown {
  const [lost] = lostNumbers(text);
  return lost === undefined ? JSON.parse(text) : JSON.parse(text, keepNumbers as Reviver);
}

/** An object with the same keys and without a prototype, where a key called __proto__ is one like any other. */
function withoutPrototype(source: object): Record<string, unknown> {
  const target: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(source)) target[key] = value;
  return target;
}

const textFault = (text: string, field: string): LineFault | null => {
  if (text.includes("\0")) return characterFault("nul", field);
  return text.isWellFormed() ? null : characterFault("utf8", field);
};

/**
 * What is wrong with the values of an object or list: how deep it is, or what its texts and keys are made of. `field` is the key of the
 * record that it lies under. Nested objects with a key called __proto__ become objects without a prototype.
 */
function containedFault(
  container: Record<string, unknown>,
  field: string | null,
  depth: number,
): LineFault | null {
  if (depth > MAX_DEPTH) return jsonFault(`${field} is nested deeper than ${MAX_DEPTH} levels.`);
  for (const key in container) {
    const value = container[key];
    const within = field ?? key;
    const isContainer = typeof value === "object" && value !== null;
    const fault =
      textFault(key, field ?? "") ??
      (typeof value === "string" ? textFault(value, within) : null) ??
      (isContainer ? containedFault(value as Record<string, unknown>, within, depth + 1) : null);
    if (fault !== null) return fault;
    if (isContainer && Object.hasOwn(value, "__proto__")) container[key] = withoutPrototype(value);
  }
  return null;
}

/** Values that were read as a record; or a fault, where they cannot be stored as they are. */
export function checkedRecord(fields: Record<string, unknown>, line: number): FileRecord {
  const fault = containedFault(fields, null, 0);
  return fault === null ? { line, fields } : { line, fault };
}

/** The object of some bytes of JSON as a record, or what is wrong with them. */
export function jsonRecord(bytes: Buffer, line: number): FileRecord {
  const text = bytes.toString("utf8");
  if (text.includes("\ufffd") && !isUtf8(bytes)) return { line, fault: characterFault("utf8") };
  if (text.includes("\0")) return { line, fault: characterFault("nul") };
  let value: unknown;
  try {
    value = exactJson(text);
  } catch {
    return { line, fault: jsonFault("This is not JSON.") };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { line, fault: jsonFault("This is JSON, and no object.") };
  return checkedRecord(withoutPrototype(value), line);
}
