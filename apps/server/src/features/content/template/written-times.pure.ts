/**
 * A point in time as a trait has it. `zone`: that of the reader; the offset that the value states, in minutes east of UTC; or none, where it
 * is written without one: a day, or a time of day, that is the same everywhere. `at` is in epoch milliseconds, as if in UTC for none.
 */
export type WrittenTime = { at: number; zone: "reader" | "none" | number };

/** Numbers below are seconds, as in Liquid; from here on, which is March 1973 in milliseconds and the year 5138 in seconds, milliseconds. */
const LEAST_MS = 100_000_000_000;
const MINUTE_MS = 60_000;

const TIME = String.raw`\d:\d\d(?::\d\d(?:[.,]\d+)?)?\s*(?:[ap]m\s*)?`;
const OFFSET = new RegExp(`${TIME}(?:gmt|utc?)?([+-])(\\d\\d):?(\\d\\d)?$`, "i");
const UTC = new RegExp(`${TIME}(?:z|gmt|utc?)$`, "i");
/** Hours by which the zones of RFC 2822, section 4.3, are ahead of UTC. */
const AMERICAN: Readonly<Record<string, number>> = {
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
};
const NAMED = new RegExp(`${TIME}(${Object.keys(AMERICAN).join("|")})$`, "i");
/** The name of a zone behind a time, as `Date.prototype.toString` writes it. */
const COMMENT = /\s*\([^()]*\)$/;
/** More characters than any way to write a time has. */
const MAX_TIME = 100;
/** The same with blanks around it and the name of its zone. */
const MAX_WRITTEN = 500;

/** The last instant that JavaScript knows, but for two days, by which a zone may be ahead. */
const MAX_AT = 8_640_000_000_000_000 - 2 * 86_400_000;

const valid = (at: number, zone: WrittenTime["zone"]): WrittenTime | null =>
  Math.abs(at) <= MAX_AT ? { at, zone } : null;

/** A text without an offset. JavaScript would take it for a time in the zone of the server, so it is read as one in UTC. */
function readWithout(text: string): WrittenTime | null {
  if (Number.isNaN(Date.parse(text))) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const [at = Number.NaN] = (isDay ? [text] : [`${text}Z`, `${text} UTC`])
    .map((each) => Date.parse(each))
    .filter((each) => !Number.isNaN(each));
  return valid(at, "none");
}

function readText(written: string): WrittenTime | null {
  // Looking for a comment reads a run of blanks again and again.
  if (written.length > MAX_WRITTEN) return null;
  const text = written.trim().replace(COMMENT, "");
  if (text.length > MAX_TIME) return null;
  if (/^\d+$/.test(text)) return readNumber(Number(text));
  if (UTC.test(text)) return valid(Date.parse(text), "reader");
  const named = AMERICAN[NAMED.exec(text)?.[1]?.toUpperCase() ?? ""];
  if (named !== undefined) return valid(Date.parse(text), named * 60);
  const [, sign, hours, minutes = "0"] = OFFSET.exec(text) ?? [];
  if (hours === undefined) return readWithout(text);
  const offset = Number(hours) * 60 + Number(minutes);
  return valid(Date.parse(text), sign === "-" ? -offset : offset);
}

const readNumber = (value: number): WrittenTime | null =>
  valid(Math.abs(value) < LEAST_MS ? value * 1_000 : value, "reader");

/** The point in time that a value of a trait names; null where it names none. `now` is in epoch milliseconds. */
export function readTime(value: unknown, now: number): WrittenTime | null {
  if (value === "now" || value === "today") return valid(now, "reader");
  if (typeof value === "number") return readNumber(value);
  return typeof value === "string" ? readText(value) : null;
}

/** The most zones whose formats are kept: each takes some kilobytes. */
const MAX_KEPT = 200;
const MAX_NAME = 64;
const kept = new Map<string, Intl.DateTimeFormat | null>();

function madeFor(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    // RangeError: no such zone.
    return null;
  }
}

function formatFor(zone: string): Intl.DateTimeFormat | null {
  const known = kept.get(zone);
  if (known !== undefined) return known;
  const made = zone.length > MAX_NAME ? null : madeFor(zone);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(zone, made);
  return made;
}

/** Whether a text is the name of a time zone, such as Europe/Vienna. */
export const isZone = (zone: string): boolean => formatFor(zone) !== null;

/** Milliseconds by which the clocks of a zone are ahead of UTC at an instant (epoch milliseconds); 0 for a zone that is not known. */
function aheadOf(zone: string, at: number): number {
  const parts = formatFor(zone)?.formatToParts(at) ?? [];
  const written = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours, minutes, seconds = "0"] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(written) ?? [];
  if (hours === undefined) return 0;
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -ahead : ahead;
}

/** A time as a clock on a wall shows it: the UTC fields of `wall` are what it says. */
export type WallClock = { wall: Date; at: number; offsetMinutes: number; zoneName: string };

/**
 * What the clock says at a time: in `zone` where a template names one (a name, or minutes east of UTC), else as the value states it,
 * else in the reader's zone, else in UTC. A time without an offset is not moved. Names of zones that are not known count as none.
 */
export function clockOf(
  { at, zone: own }: WrittenTime,
  { zone, reader }: { zone: string | number | null; reader: string | null },
): WallClock {
  const named = typeof zone === "string" && !isZone(zone) ? null : zone;
  const chosen = own === "none" ? 0 : (named ?? (own === "reader" ? (reader ?? 0) : own));
  const ahead = typeof chosen === "number" ? chosen * MINUTE_MS : aheadOf(chosen, at);
  return {
    wall: new Date(at + ahead),
    at,
    offsetMinutes: ahead / MINUTE_MS,
    zoneName: typeof chosen === "string" ? chosen : "",
  };
}
