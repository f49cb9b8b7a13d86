import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { parse } from "secure-json-parse";
import { ApiError } from "./errors.ts";

/** Deeper than any JSON that the API takes, and far from what would overflow the stack of recursive code. */
const MAX_DEPTH = 64;

const REFUSE_PROTO = { protoAction: "error", constructorAction: "ignore" } as const;

const QUOTE = 34;
const BACKSLASH = 92;
const isOpening = (code: number): boolean => code === 91 || code === 123;
const isClosing = (code: number): boolean => code === 93 || code === 125;

function isTooDeep(json: string): boolean {
  if (json.length <= MAX_DEPTH) return false;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === QUOTE) {
      for (i++; i < json.length && json.charCodeAt(i) !== QUOTE; i++)
        if (json.charCodeAt(i) === BACKSLASH) i++;
    } else if (isOpening(code)) {
      if (++depth > MAX_DEPTH) return true;
    } else if (isClosing(code)) depth--;
  }
  return false;
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
    throw new ApiError("invalid_request", `${field} must not contain NUL characters or unpaired surrogates`);
  }
}

/** @throws ApiError for a compressed body: its real size would only be known after decompressing it */
export function assertPlain({ "content-encoding": encoding }: IncomingHttpHeaders): void {
  if (encoding !== undefined && encoding !== "identity")
    throw new ApiError("invalid_request", "Content-Encoding must not be given: bodies are read as they are");
}

/** The JSON of a request's body; undefined when it is empty. @throws ApiError when it is not JSON we would store. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ApiError("invalid_request", "body must be UTF-8");
  const json = bytes.toString("utf8");
  if (isTooDeep(json))
    throw new ApiError("invalid_request", `body must not be nested deeper than ${MAX_DEPTH} levels`);
  // Such characters can only come in as escapes, so a body without `\u` need not be searched.
  const isEscaped = json.includes("\\u");
  let value: unknown;
  try {
    value = isEscaped || json.includes("__proto__") ? parse(json, null, REFUSE_PROTO) : JSON.parse(json);
  } catch (cause) {
    throw new ApiError("invalid_request", "body must be valid JSON", { cause });
  }
  if (isEscaped) assertStorable(value, "body");
  return value;
}
