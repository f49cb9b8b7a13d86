const ISO_WITH_OFFSET =
  /^(?!0000)(\d{4}-\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Epoch milliseconds of an ISO-8601 date-time with an explicit offset (years 0001 to 9999, what is finer than a millisecond
 * cut off), or NaN. A day that its month does not have would roll into the next one. The SQL function `iso_instant` is its twin.
 */
export function parseIso(text: string): number {
  const [, month, day] = ISO_WITH_OFFSET.exec(text) ?? [];
  if (month === undefined || new Date(`${month}-${day}T00:00Z`).getUTCDate() !== Number(day))
    return Number.NaN;
  return Date.parse(text);
}

/** Below this, a number is seconds or a mistake: 10^12 ms is September 2001. */
export const MIN_EPOCH_MS = 1_000_000_000_000;
/** The year 9999: later than any plan, and far below the largest date of JavaScript. */
export const MAX_EPOCH_MS = 253_402_300_799_999;
/** Numbers from the first up to the second are seconds: as milliseconds they would be of the years 1970 to 1973, as seconds of 1973 to 5138. */
const SECONDS_FROM = 100_000_000;
const SECONDS_UNTIL = 100_000_000_000;

/** An instant of a request, or why it is none: the end of a sentence that begins with the name of the field. */
export type ReadInstant = { ms: number } | { fault: string };

const EXAMPLE = "such as 2026-01-31T09:00:00Z";
const RULE = `must be epoch milliseconds or an ISO-8601 date-time with an offset, ${EXAMPLE}`;
const TOO_EARLY = `must not be before ${new Date(MIN_EPOCH_MS).toISOString()}`;

/** What other units there are, from which number on, and how many milliseconds one of them is. */
const UNITS = [
  { unit: "nanoseconds", from: 1e17, until: 1e20, ms: 1e-6 },
  { unit: "microseconds", from: 1e15, until: 1e17, ms: 1e-3 },
  { unit: "seconds", from: SECONDS_FROM, until: SECONDS_UNTIL, ms: 1e3 },
] as const;

/** What a number in another unit than milliseconds should have been; null where it does not look like one. */
function unitFault(value: number): string | null {
  const found = UNITS.find(({ from, until }) => value >= from && value < until);
  if (found === undefined) return null;
  const ms = Math.floor(value * found.ms);
  return `must be epoch milliseconds, and ${value} looks like ${found.unit}: send ${ms}`;
}

const NUMBER = /^\d{1,20}(\.\d{1,9})?$/;
/** A date and time as they are often written: with a blank, without an offset, or with one in another form. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?) ?(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

function isoOffset(given: string): string {
  if (!/^[+-]/.test(given)) return "Z";
  const digits = given.replace(":", "");
  return `${digits.slice(0, 3)}:${digits.slice(3) || "00"}`;
}

/** How the date or time that a text clearly means is written; null where that is not clear. */
function writingFault(text: string): string | null {
  const isDate = DATE.test(text);
  const [, date, time, offset] = DATE_TIME.exec(isDate ? `${text}T00:00:00` : text) ?? [];
  if (date === undefined || time === undefined) return null;
  const written = `${date}T${time.replace(",", ".")}`;
  if (Number.isNaN(parseIso(`${written}Z`))) return null;
  if (offset !== undefined) return `must be written as ${written}${isoOffset(offset)}`;
  const lacks = isDate ? "a time and an offset from UTC" : "an offset from UTC";
  return `must have ${lacks}: send ${written}Z if it is UTC, or its own offset, such as ${written}+02:00`;
}

/** Why a text is no instant of a body. */
function textFault(text: string): string {
  if (!NUMBER.test(text)) return writingFault(text) ?? RULE;
  return (
    unitFault(Number(text)) ??
    `must be a number, without quotation marks, where it is epoch milliseconds, or a text ${EXAMPLE}`
  );
}

function readNumber(value: number): ReadInstant {
  const fault = unitFault(value);
  if (fault !== null) return { fault };
  if (value > MAX_EPOCH_MS || value < SECONDS_UNTIL) return { fault: RULE };
  if (value < MIN_EPOCH_MS) return { fault: TOO_EARLY };
  return Number.isInteger(value)
    ? { ms: value }
    : { fault: `must be whole milliseconds: send ${Math.floor(value)}` };
}

/** Reads an instant of a body: epoch milliseconds from September 2001 on, or a text in ISO-8601 with an offset. */
export function readInstant(value: unknown): ReadInstant {
  if (typeof value === "number") return readNumber(value);
  if (typeof value !== "string") return { fault: RULE };
  const ms = parseIso(value);
  if (Number.isNaN(ms)) return { fault: textFault(value) };
  return ms < MIN_EPOCH_MS ? { fault: TOO_EARLY } : { ms };
}

const QUERY_RULE = "must be epoch milliseconds, an ISO-8601 date, or a date-time with an offset";

/** Reads an instant of a query, where numbers are texts: as early as 1970, and a date is its start in UTC. */
export function readQueryInstant(raw: string): ReadInstant {
  const isNumber = /^\d{1,20}$/.test(raw);
  const ms = isNumber ? Number(raw) : parseIso(DATE.test(raw) ? `${raw}T00:00Z` : raw);
  const fault = isNumber ? unitFault(ms) : null;
  if (fault !== null) return { fault };
  if (ms <= MAX_EPOCH_MS) return { ms };
  if (isNumber) return { fault: QUERY_RULE };
  // In an address, a plus sign means a blank.
  const lostPlus = /^(.+:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/.exec(raw);
  if (lostPlus !== null) return { fault: `must be written as ${lostPlus[1]}%2B${lostPlus[2]}` };
  return { fault: writingFault(raw) ?? QUERY_RULE };
}
