import { isUtf8 } from "node:buffer";
import type { ParquetParsers } from "hyparquet";
import { exactJson } from "./json-record.ts";

const MS_PER_DAY = 86_400_000;

/** A text that is not UTF-8: it fails its line, not the file. */
const NOT_UTF8 = Symbol("a text that is not UTF-8");

const dateOf = (ms: number): Date | null => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date;
};

const decoded = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

const textOf = (bytes: Uint8Array): string | typeof NOT_UTF8 => (isUtf8(bytes) ? decoded(bytes) : NOT_UTF8);

function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (typeof text !== "string") return text;
  try {
    return exactJson(text);
  } catch {
    return text;
  }
}

/** How values are read that are more than numbers and bytes. None of them throws, because that would fail the whole file. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (ms) => dateOf(Number(ms)),
  timestampFromMicroseconds: (us) => dateOf(Number(us) / 1e3),
  timestampFromNanoseconds: (ns) => dateOf(Number(ns) / 1e6),
  dateFromDays: (days) =>
    dateOf(days * MS_PER_DAY)
      ?.toISOString()
      .slice(0, 10) ?? null,
  stringFromBytes: (bytes) => bytes && textOf(bytes),
  jsonFromBytes: (bytes) => bytes && jsonOf(bytes),
};

/** An instant as ISO text; without a zone where its column has local times, which the importer's time zone says more of. */
const instantText = (date: Date, isLocal: boolean): string =>
  isLocal
    ? date
        .toISOString()
        .replace("T", " ")
        .replace(/(?:\.000)?Z$/, "")
    : date.toISOString();

/** A value as JSON has it. `broken` is called for a text that is not UTF-8. Other bytes that are no text become hex. */
export function plainValue(value: unknown, isLocal: boolean, broken: () => void): unknown {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value === NOT_UTF8) broken();
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof Date) return instantText(value, isLocal);
  if (value instanceof Uint8Array) {
    const text = textOf(value);
    return typeof text === "string" ? text : Buffer.from(value).toString("hex");
  }
  if (Array.isArray(value)) return value.map((item) => plainValue(item, isLocal, broken));
  if (ArrayBuffer.isView(value)) return null;
  const fields: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) fields[key] = plainValue(inner, isLocal, broken);
  return fields;
}

/** About how many bytes a value of JSON takes as text. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = 0;
  for (const [key, inner] of Object.entries(value)) size += key.length + sizeOf(inner);
  return size;
}
