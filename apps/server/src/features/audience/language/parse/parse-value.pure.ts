import { parseIso } from "../../../../platform/http/contract/instants.ts";
import { nearestNames } from "../../../../platform/text/nearest-name.ts";
import {
  type FieldRef,
  ID_OPERATORS,
  MAX_KEY_LENGTH,
  MAX_MEMBERS,
  MAX_TEXT_LENGTH,
  MAX_WINDOW_MS,
  OPERATORS,
  type Operator,
  type OperatorComparison,
  TIME_OPERATORS,
  type TraitValue,
  WINDOW_UNITS,
  type Window,
  type WindowUnit,
} from "../schema.ts";
import { type Faults, type Path, quoteText } from "./diagnostics.pure.ts";

export type JsonFields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of a key of the input itself, never an inherited one. */
export const own = (input: JsonFields, key: string): unknown =>
  Object.hasOwn(input, key) ? input[key] : undefined;

/** Reports the keys that an object may not have. */
export function refuseOtherKeys(
  input: JsonFields,
  allowed: readonly string[],
  path: Path,
  faults: Faults,
): void {
  for (const key of Object.keys(input)) {
    if (allowed.includes(key)) continue;
    if (faults.isFull) return;
    const isLong = key.length > MAX_KEY_LENGTH;
    const message = `${quoteText(key)} is not a key here; there are ${allowed.join(", ")}.`;
    faults.add("unknown_key", isLong ? path : [...path, key], message, nearestNames(key, allowed));
  }
}

const longerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > max * 2 || [...text].length > max);

/** Reads a text of `min` to `max` characters that PostgreSQL can store. */
export function readTextValue(value: unknown, path: Path, faults: Faults, max = MAX_TEXT_LENGTH, min = 0) {
  if (typeof value !== "string") return faults.add("invalid_value", path, "This must be a string.");
  if (value.length < min) return faults.add("invalid_value", path, "This must not be empty.");
  if (longerThan(value, max))
    return faults.add("invalid_value", path, `This must be at most ${max} characters.`);
  if (value.includes("\0") || !value.isWellFormed())
    return faults.add("invalid_text", path, "This must not contain NUL characters or unpaired surrogates.");
  return value;
}

function readNumber(value: unknown, path: Path, faults: Faults): number | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return faults.add("invalid_value", path, "This must be a finite number.");
}

function readScalar(value: unknown, path: Path, faults: Faults): TraitValue | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return readTextValue(value, path, faults);
  if (typeof value === "number") return readNumber(value, path, faults);
  return faults.add("invalid_value", path, "This must be a string, a number, true or false.");
}

/** @param areIds whether members are ids of users, which are strings */
function readMembers(
  value: unknown,
  path: Path,
  faults: Faults,
  areIds: boolean,
): string[] | number[] | undefined {
  const what = areIds ? "a list of ids, which are strings" : "a list of strings, or of numbers";
  if (!Array.isArray(value)) return faults.add("invalid_value", path, `This must be ${what}.`);
  if (value.length === 0) return faults.add("empty_list", path, "This must have at least one member.");
  if (value.length > MAX_MEMBERS)
    return faults.add("too_many_items", path, `This must have at most ${MAX_MEMBERS} members.`);
  if (typeof value[0] !== "string" && (areIds || typeof value[0] !== "number"))
    return faults.add("invalid_value", path, `This must be ${what}.`);
  const found = { strings: [] as string[], numbers: [] as number[] };
  for (const [index, member] of value.entries()) {
    const at = [...path, index];
    if (typeof member !== typeof value[0]) {
      faults.add("invalid_value", at, `This must be ${what}.`);
    } else if (typeof member === "string") {
      const text = readTextValue(member, at, faults);
      if (text !== undefined) found.strings.push(text);
    } else {
      const number = readNumber(member, at, faults);
      if (number !== undefined) found.numbers.push(number);
    }
  }
  return typeof value[0] === "string" ? found.strings : found.numbers;
}

function readInstant(value: unknown, path: Path, faults: Faults): string | undefined {
  if (typeof value === "string" && !Number.isNaN(parseIso(value))) return value;
  const message = "This must be an ISO-8601 date-time with an offset, such as 2026-01-31T09:00:00Z.";
  return faults.add("invalid_value", path, message);
}

const UNITS = Object.keys(WINDOW_UNITS);
const isUnit = (value: unknown): value is WindowUnit => typeof value === "string" && UNITS.includes(value);

export function readWindow(value: unknown, path: Path, faults: Faults): Window | undefined {
  if (!isObject(value))
    return faults.add("invalid_window", path, 'This must be a window, such as {"amount":7,"unit":"days"}.');
  refuseOtherKeys(value, ["amount", "unit"], path, faults);
  const unit = own(value, "unit");
  const amount = own(value, "amount");
  if (!isUnit(unit)) {
    const close = typeof unit === "string" ? nearestNames(unit, UNITS) : [];
    return faults.add("invalid_window", [...path, "unit"], `unit must be one of ${UNITS.join(", ")}.`, close);
  }
  const max = Math.floor(MAX_WINDOW_MS / WINDOW_UNITS[unit]);
  if (typeof amount === "number" && Number.isInteger(amount) && amount >= 1 && amount <= max)
    return { amount, unit };
  const message = `amount must be a whole number from 1 to ${max} ${unit}.`;
  return faults.add("invalid_window", [...path, "amount"], message);
}

/** Operators as other products write them, each with ours, for suggestions. */
const ALIASES: Readonly<Record<string, Operator>> = {
  "=": "eq",
  "==": "eq",
  "===": "eq",
  is: "eq",
  equal: "eq",
  equals: "eq",
  "!=": "neq",
  "<>": "neq",
  ne: "neq",
  not: "neq",
  is_not: "neq",
  not_eq: "neq",
  not_equals: "neq",
  one_of: "in",
  is_one_of: "in",
  any_of: "in",
  nin: "not_in",
  none_of: "not_in",
  is_none_of: "not_in",
  like: "contains",
  includes: "contains",
  prefix: "starts_with",
  suffix: "ends_with",
  ">": "gt",
  greater_than: "gt",
  ">=": "gte",
  ge: "gte",
  at_least: "gte",
  "<": "lt",
  less_than: "lt",
  "<=": "lte",
  le: "lte",
  at_most: "lte",
  is_set: "exists",
  set: "exists",
  is_not_set: "not_exists",
  unset: "not_exists",
  missing: "not_exists",
  older_than: "not_within_last",
  newer_than: "within_last",
  in_last: "within_last",
  within_the_last: "within_last",
  in_next: "within_next",
  within_the_next: "within_next",
  due_within: "within_next",
  expires_within: "within_next",
};

function suggestOperator(op: string, allowed: readonly Operator[]): string[] {
  const alias = Object.hasOwn(ALIASES, op.toLowerCase()) ? ALIASES[op.toLowerCase()] : undefined;
  return alias !== undefined && allowed.includes(alias) ? [alias] : nearestNames(op, allowed);
}

const isOperator = (value: unknown): value is Operator =>
  typeof value === "string" && (OPERATORS as readonly string[]).includes(value);

const isId = (field: FieldRef | undefined): boolean => field?.kind === "user" && field.field === "id";

/** The operators that a field takes, and how a refusal names it. A field that could not be read takes all: it is what is wrong. */
function operatorsOf(field: FieldRef | undefined): { allowed: readonly Operator[]; what: string } {
  if (field?.kind !== "user") return { allowed: OPERATORS, what: "A field" };
  return isId(field)
    ? { allowed: ID_OPERATORS, what: "The id of a user" }
    : { allowed: TIME_OPERATORS, what: "A time of a user" };
}

function readOperator(
  input: JsonFields,
  path: Path,
  faults: Faults,
  field: FieldRef | undefined,
): Operator | undefined {
  const op = own(input, "op");
  const at = [...path, "op"];
  if (op === undefined) return faults.add("missing_key", path, "A field node needs an op.");
  const { allowed, what } = operatorsOf(field);
  const close = typeof op === "string" ? suggestOperator(op, allowed) : [];
  const choice = allowed.join(", ");
  if (!isOperator(op)) return faults.add("unknown_operator", at, `op must be one of ${choice}.`, close);
  if (allowed.includes(op)) return op;
  return faults.add("operator_not_allowed", at, `${what} takes only ${choice}.`);
}

/** Reads the operator of a field node, and the value that it compares to; `field` is undefined where it could not be read. */
export function readComparison(
  input: JsonFields,
  path: Path,
  faults: Faults,
  field: FieldRef | undefined,
): OperatorComparison | undefined {
  const op = readOperator(input, path, faults, field);
  if (op === undefined) return undefined;
  const at = [...path, "value"];
  const isGiven = Object.hasOwn(input, "value");
  if (op === "exists" || op === "not_exists")
    return isGiven ? faults.add("unexpected_value", at, `${op} takes no value.`) : { op };
  if (!isGiven) return faults.add("missing_key", path, `${op} needs a value.`);
  return readValue(op, own(input, "value"), at, faults, isId(field));
}

function readValue(
  op: Exclude<Operator, "exists" | "not_exists">,
  given: unknown,
  at: Path,
  faults: Faults,
  isOfId: boolean,
): OperatorComparison | undefined {
  switch (op) {
    case "eq":
    case "neq": {
      const value = isOfId ? readTextValue(given, at, faults) : readScalar(given, at, faults);
      return value === undefined ? undefined : { op, value };
    }
    case "in":
    case "not_in": {
      const value = readMembers(given, at, faults, isOfId);
      return value === undefined ? undefined : { op, value };
    }
    case "contains":
    case "starts_with":
    case "ends_with": {
      const value = readTextValue(given, at, faults);
      return value === undefined ? undefined : { op, value };
    }
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const value = readNumber(given, at, faults);
      return value === undefined ? undefined : { op, value };
    }
    case "before":
    case "after": {
      const value = readInstant(given, at, faults);
      return value === undefined ? undefined : { op, value };
    }
    case "within_last":
    case "not_within_last":
    case "within_next":
    case "not_within_next": {
      const value = readWindow(given, at, faults);
      return value === undefined ? undefined : { op, value };
    }
  }
}
