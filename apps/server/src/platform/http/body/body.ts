import type { IncomingHttpHeaders } from "node:http";
import { parse } from "secure-json-parse";
import { endOfText, lostNumbers, type Steps } from "../../text/exact-json.ts";
import { decodeUtf8 } from "../../text/text.ts";
import { shortName } from "../contract/closed.ts";
import { ApiError, errorRegistry } from "../contract/errors.ts";
import { fieldName } from "../contract/explain-issue.ts";

/** Deeper than any JSON that the API takes, and far from what would overflow the stack of recursive code. */
const MAX_DEPTH = 64;

const REFUSE_PROTO = { protoAction: "error", constructorAction: "ignore" } as const;
const DROP_PROTO = { protoAction: "remove", constructorAction: "ignore" } as const;

/** In a body longer than this, the number of values is bounded: it is they that take the time, more than their bytes do. */
const LARGE = 1_024 * 1_024;
const MOST_VALUES = 200_000;

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const isOpening = (code: number): boolean => code === 91 || code === 123;
const isClosing = (code: number): boolean => code === 93 || code === 125;

const isExponent = (code: number): boolean => code === 69 || code === 101;
const isOfNumber = (code: number): boolean => (code >= 48 && code <= 57) || code === POINT;

/** A number with fewer digits, and without an exponent, is always kept. */
const LONG_NUMBER = 16;

/** `values`: but for the first of each list and object. `hasLongNumbers`: has a number that may be one that cannot be kept. */
type Shape = { isTooDeep: boolean; values: number; hasLongNumbers: boolean };

/** How JSON is built, from what stands outside of its texts. */
function shapeOf(json: string): Shape {
  let depth = 0;
  let values = 0;
  let digits = 0;
  let hasLongNumbers = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (isOfNumber(code)) {
      if (++digits === LONG_NUMBER) hasLongNumbers = true;
      continue;
    }
    if (digits > 0 && isExponent(code)) hasLongNumbers = true;
    digits = 0;
    if (code === QUOTE) i = endOfText(json, i);
    else if (code === COMMA) values++;
    else if (isOpening(code)) {
      values++;
      if (++depth > MAX_DEPTH) return { isTooDeep: true, values, hasLongNumbers };
    } else if (isClosing(code)) depth--;
  }
  return { isTooDeep: false, values, hasLongNumbers };
}

/** @throws ApiError for JSON that takes long to read, while all other requests wait */
function assertReadable(json: string, { isTooDeep, values }: Shape, field: string): void {
  if (isTooDeep)
    throw new ApiError("invalid_request", `${field} must not be nested deeper than ${MAX_DEPTH} levels`);
  if (json.length > LARGE && values > MOST_VALUES)
    throw new ApiError(
      "too_large",
      `${errorRegistry.too_large.message}: ${field} has more than ${MOST_VALUES} values, send fewer at once`,
    );
}

const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Path of the first string that PostgreSQL cannot store: with NUL, or with half of a surrogate pair. */
function unstorable(value: unknown, path: string): string | null {
  if (typeof value === "string") return isStorable(value) ? null : path;
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  for (const [key, child] of Object.entries(value)) {
    if (!isStorable(key)) return path;
    const found = unstorable(child, isList ? `${path}[${key}]` : path === "body" ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** @throws ApiError naming the field that contains a character which cannot be stored */
export function assertStorable(value: unknown, root: string): void {
  const field = unstorable(value, root);
  if (field !== null) {
    throw new ApiError(
      "invalid_request",
      `${shortName(field)} must not contain NUL characters or unpaired surrogates`,
    );
  }
}

const CANNOT_BE_KEPT = "is a number that cannot be kept exactly: send it as a text";

/**
 * Stands in a body in place of a part that is judged apart and has a number that cannot be kept. What judges that part refuses it with
 * the fault.
 */
export class Unkept {
  /** Where in the part the number stands. */
  readonly #steps: Steps;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** The fault, in the words of a refusal. `root` is what the part itself is called. */
  fault(root: string): string {
    return `${shortName(fieldName(this.#steps, root))} ${CANNOT_BE_KEPT}`;
  }
}

/** How many of the first steps to a value lead to a part of the body that is judged apart; null where it is in none. */
export type JudgedApart = (steps: Steps) => number | null;

type Container = Record<string | number, unknown>;
const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

/**
 * Puts a value where the steps lead. A key that came twice may have had another value, and one may have been dropped: then there is no such
 * place, and nothing to judge. Only what a container has itself is such a place: `__proto__` leads to what all objects share.
 */
function put(body: unknown, steps: Steps, value: unknown): void {
  const last = steps.at(-1);
  const container = steps
    .slice(0, -1)
    .reduce<unknown>((at, step) => isContainer(at) && Object.hasOwn(at, step) && at[step], body);
  if (last !== undefined && isContainer(container) && Object.hasOwn(container, last)) container[last] = value;
}

/** A place within a field, as refusals name it; the body itself is not named before what is in it. */
const nameWithin = (field: string, steps: Steps): string =>
  shortName(fieldName(field === "body" ? steps : [field, ...steps], field));

/** With more numbers that cannot be kept, a body is refused as a whole: each of them costs time. */
const MOST_JUDGED_APART = 10_000;

/**
 * Puts an `Unkept` in place of each part that is judged apart and has a number that cannot be kept.
 * @throws ApiError for such a number anywhere else
 */
function judgeNumbers(json: string, value: unknown, field: string, apart: JudgedApart): void {
  let found = 0;
  for (const steps of lostNumbers(json)) {
    const length = ++found > MOST_JUDGED_APART ? null : apart(steps);
    if (length === null)
      throw new ApiError("invalid_request", `${nameWithin(field, steps)} ${CANNOT_BE_KEPT}`);
    put(value, steps.slice(0, length), new Unkept(steps.slice(length)));
  }
}

/** Puts `undefined`, which JSON has no other use for, in place of each number that cannot be kept. @throws ApiError for very many of them */
function leaveNumbersOut(json: string, value: unknown): void {
  let found = 0;
  for (const steps of lostNumbers(json)) {
    if (++found > MOST_JUDGED_APART)
      throw new ApiError("invalid_request", `${nameWithin("body", steps)} ${CANNOT_BE_KEPT}`);
    put(value, steps, undefined);
  }
}

/** @throws ApiError for a compressed body: its real size would only be known after decompressing it */
export function assertPlain({ "content-encoding": encoding }: IncomingHttpHeaders): void {
  if (encoding !== undefined && encoding !== "identity")
    throw new ApiError("invalid_request", "Content-Encoding must not be given: bodies are read as they are");
}

const NOTHING_APART: JudgedApart = () => null;

/**
 * The value of a text of JSON. A number that cannot be kept is refused, except in what is judged apart, which an `Unkept` then stands for.
 * @param field that has the text, by which refusals name it
 * @throws ApiError when it is not JSON we would store
 */
export function parseJsonText(json: string, field: string, apart: JudgedApart = NOTHING_APART): unknown {
  const shape = shapeOf(json);
  assertReadable(json, shape, field);
  // Such characters can only come in as escapes, so a text without `\u` need not be searched.
  const isEscaped = json.includes("\\u");
  const value = parsedJson(json, field, isEscaped, REFUSE_PROTO);
  if (isEscaped) assertStorable(value, field);
  if (shape.hasLongNumbers) judgeNumbers(json, value, field, apart);
  return value;
}

function parsedJson(
  json: string,
  field: string,
  isEscaped: boolean,
  proto: typeof REFUSE_PROTO | typeof DROP_PROTO,
): unknown {
  try {
    return isEscaped || json.includes("__proto__") ? parse(json, null, proto) : JSON.parse(json);
  } catch (cause) {
    throw new ApiError("invalid_request", `${field} must be valid JSON`, { cause });
  }
}

const storable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll("\0", "").toWellFormed();

/** A copy of a value whose texts can be stored: without NUL, and with U+FFFD in place of half of a character. */
function withStorableTexts(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withStorableTexts);
  const kept: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    const name = storable(key);
    // Without its NUL, a key may have become the one that was dropped before.
    if (name !== "__proto__") kept[name] = withStorableTexts(child);
  }
  return kept;
}

/**
 * The value of a body of JSON that senders of other services wrote, who cannot change how they write. Nothing of it refuses the rest: what no
 * database can store of a text is replaced, and `undefined` stands for each number that cannot be kept.
 * @throws ApiError for what is no JSON, or takes too long to read
 */
export function parseLenientJson(bytes: Buffer): unknown {
  const decoded = decodeUtf8(bytes);
  if ("fault" in decoded) throw new ApiError("invalid_request", `body ${decoded.fault}`);
  const json = decoded.text;
  const shape = shapeOf(json);
  assertReadable(json, shape, "body");
  const isEscaped = json.includes("\\u");
  const parsed = parsedJson(json, "body", isEscaped, DROP_PROTO);
  if (shape.hasLongNumbers) leaveNumbersOut(json, parsed);
  return isEscaped && unstorable(parsed, "body") !== null ? withStorableTexts(parsed) : parsed;
}

/** The JSON of a request's body; undefined when it is empty. @throws ApiError when it is not JSON we would store */
export function parseJsonBody(bytes: Buffer, apart?: JudgedApart): unknown {
  if (bytes.length === 0) return undefined;
  const decoded = decodeUtf8(bytes);
  if ("fault" in decoded) throw new ApiError("invalid_request", `body ${decoded.fault}`);
  return parseJsonText(decoded.text, "body", apart);
}
