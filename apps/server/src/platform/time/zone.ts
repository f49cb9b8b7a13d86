const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Clocks change at a full or half minute in every zone since 1970: some a minute after midnight, and Liberia's were 44 minutes and a half behind. */
const HALF_MINUTE_MS = 30_000;
/** Far more days than any file has; a file that has more begins anew. */
const MOST_REMEMBERED = 50_000;
/** No zone is further from UTC. */
const FURTHEST_MS = DAY_MS;

/** The wall clocks of a zone. What a clock shows is written as if it were UTC; all times are in ms. */
export type Zone = {
  /** The instant at which a clock shows this. What was shown twice is the first of the two; what was never shown, as clocks went ahead, is as much later as they went. */
  instantOf(shown: number): number;
  /** What a clock shows at an instant. */
  shownAt(instant: number): number;
};

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
    return first === at(day + DAY_MS) ? first : at(Math.floor(ms / HALF_MINUTE_MS) * HALF_MINUTE_MS);
  };
}

/** The zone without an offset. */
export const UTC: Zone = { instantOf: (shown) => shown, shownAt: (instant) => instant };

function makeZone(timeZone: string): Zone | null {
  if (/^(?:etc\/)?(?:utc|gmt)$/i.test(timeZone)) return UTC;
  try {
    const offsetAt = offsets(
      new Intl.DateTimeFormat("en-US", { timeZone, year: "numeric", timeZoneName: "longOffset" }),
    );
    return {
      instantOf(shown) {
        const before = offsetAt(shown - FURTHEST_MS);
        const early = shown - before;
        if (offsetAt(early) === before) return early;
        const late = shown - offsetAt(shown + FURTHEST_MS);
        return offsetAt(late) === shown - late ? late : early;
      },
      shownAt: (instant) => instant + offsetAt(instant),
    };
  } catch {
    return null;
  }
}

/** More than there are zones with clocks of their own: readers live in many, and other names are given by mistake. */
const MOST_ZONES = 600;
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

/** The beginning of the day that clocks show, as they show it. */
export const startOfDay = (shown: number): number => Math.floor(shown / DAY_MS) * DAY_MS;

/** The minute of the day of a text such as `09:00`. */
const minuteOf = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3));

/** The instant at which clocks show an hour such as `09:00` on a day, whose beginning is given as they show it. */
export const hourOn = (zone: Zone, day: number, at: string): number =>
  zone.instantOf(day + minuteOf(at) * MINUTE_MS);
