import { UTC, type Zone, zoneNamed } from "./zone.ts";

/** The forms in which a file may write an instant, for people. */
export const INSTANT_FORMS =
  "2026-01-31T09:00:00Z, 2026-01-31 09:00:00, 2026-01-31, or epoch seconds, milliseconds or microseconds";

/** From the first on, up to the next, a number is seconds, milliseconds, microseconds: of the years 1973 to 5138 in each. */
const [SECONDS_FROM, MS_FROM, MICROS_FROM, MICROS_UNTIL] = [1e8, 1e11, 1e14, 1e17] as const;

function readNumber(value: number): number | null {
  if (value >= MICROS_FROM) return value < MICROS_UNTIL ? Math.floor(value / 1_000) : null;
  if (value >= MS_FROM) return Math.floor(value);
  // Seconds with a fraction are doubles that may lie a little below what was written.
  return value >= SECONDS_FROM ? Math.floor(Math.round(value * 1e6) / 1e3) : null;
}

const NUMBER = /^\d{9,17}(?:\.\d{1,9})?$/;
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|z|UTC|GMT|([+-])(\d{2}):?(\d{2})?(?: (?:[A-Z]{1,5}|[+-]\d{2,4}))?))?)?$/;

/** Milliseconds that a clock shows, as if it were UTC; null for a day or a time that there is not. */
function shownBy(parts: readonly (string | undefined)[]): number | null {
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  if (year === undefined || month === undefined || day === undefined) return null;
  if (hour === undefined || minute === undefined || second === undefined) return null;
  if (year < 1_000 || hour > 23 || minute > 59 || second > 59) return null;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second, Number(`${parts[7] ?? ""}000`.slice(0, 3)));
  const written = new Date(ms);
  return written.getUTCMonth() === month - 1 && written.getUTCDate() === day ? ms : null;
}

function readText(text: string, zone: Zone): number | null {
  if (NUMBER.test(text)) return readNumber(Number(text));
  const parts = text.length <= 64 ? DATE_TIME.exec(text) : null;
  const shown = parts && shownBy(parts);
  if (parts === null || shown === null) return null;
  const [, , , , , , , , named, sign, hours, minutes = "00"] = parts;
  if (named === undefined) return zone.instantOf(shown);
  if (sign === undefined) return shown;
  const [ahead, past] = [Number(hours), Number(minutes)];
  if (ahead > 23 || past > 59) return null;
  const offset = (ahead * 60 + past) * 60_000;
  return sign === "-" ? shown + offset : shown - offset;
}

/** The same as `readFileInstant`, in a zone that was found before. */
export function readInstantIn(zone: Zone, value: unknown): number | null {
  if (typeof value === "string") return readText(value.trim(), zone);
  if (typeof value === "number") return readNumber(value);
  if (typeof value === "bigint") return readNumber(Number(value));
  if (!(value instanceof Date)) return null;
  const ms = value.getTime();
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Epoch milliseconds of an instant as files write it, what is finer cut off; null for anything else.
 * Numbers are seconds, milliseconds or microseconds, by their size. A text is such a number, or year, month and day, with a time behind it or
 * without; with an offset, `Z`, `UTC`, or as Go prints it (`+0000 UTC`), else as the clocks of the zone showed it: the first of two instants
 * that they showed alike in autumn, and in spring, for a time that they passed over, as much later as they went ahead.
 * @param timeZone an IANA name; where there is no such zone, times without an offset are not read
 */
export function readFileInstant(value: unknown, timeZone: string): number | null {
  const ms = readInstantIn(zoneNamed(timeZone) ?? { ...UTC, instantOf: () => Number.NaN }, value);
  return Number.isNaN(ms) ? null : ms;
}
