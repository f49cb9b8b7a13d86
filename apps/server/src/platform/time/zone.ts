const DAY_MS = 86_400_000;
/** Clocks change at a quarter of an hour, in every zone that has changed one since 1970. */
const QUARTER_MS = 900_000;
/** Far more days than any file has; a file that has more begins anew. */
const MOST_REMEMBERED = 50_000;
/** No zone is further from UTC. */
const FURTHEST_MS = DAY_MS;

/** Reads wall clocks of a zone: takes the time that a clock shows, written as if it were UTC, and returns the instant (both in ms). */
export type Zone = (shown: number) => number;

const OFFSET = /GMT(?:([+-])(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

function offsetOf(format: Intl.DateTimeFormat, ms: number): number {
  const [, sign, hours, minutes, seconds = "0"] = OFFSET.exec(format.format(ms)) ?? [];
  if (sign === undefined) return 0;
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000;
  return sign === "-" ? -size : size;
}

/** How far a zone is from UTC at an instant, in ms. A day that begins and ends alike has no change in it, so most days are looked up once. */
function offsets(format: Intl.DateTimeFormat): (ms: number) => number {
  const known = new Map<number, number>();
  const at = (ms: number): number => {
    const found = known.get(ms);
    if (found !== undefined) return found;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const offset = offsetOf(format, ms);
    known.set(ms, offset);
    return offset;
  };
  return (ms) => {
    const day = Math.floor(ms / DAY_MS) * DAY_MS;
    const first = at(day);
    return first === at(day + DAY_MS) ? first : at(Math.floor(ms / QUARTER_MS) * QUARTER_MS);
  };
}

function makeZone(timeZone: string): Zone | null {
  if (/^(?:etc\/)?(?:utc|gmt)$/i.test(timeZone)) return (shown) => shown;
  try {
    const offsetAt = offsets(
      new Intl.DateTimeFormat("en-US", { timeZone, year: "numeric", timeZoneName: "longOffset" }),
    );
    return (shown) => {
      const before = offsetAt(shown - FURTHEST_MS);
      // What was shown twice is the first of the two; what was never shown, as clocks went ahead, is as much later as they went.
      const early = shown - before;
      if (offsetAt(early) === before) return early;
      const late = shown - offsetAt(shown + FURTHEST_MS);
      return offsetAt(late) === shown - late ? late : early;
    };
  } catch {
    return null;
  }
}

/** A file has one zone, and few files are read at once. */
const MOST_ZONES = 20;
const zones = new Map<string, Zone | null>();

/** The zone of an IANA name such as `Europe/Berlin`; null where there is none. */
export function zoneNamed(timeZone: string): Zone | null {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  if (zones.size >= MOST_ZONES) zones.clear();
  const zone = makeZone(timeZone);
  zones.set(timeZone, zone);
  return zone;
}
