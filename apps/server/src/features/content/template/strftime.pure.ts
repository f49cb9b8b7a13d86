import type { WallClock } from "./written-times.pure.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY_MS = 86_400_000;
/** As long as a filter's result may get: a width of more characters is of no use. */
const MAX_WIDTH = 4_096;

const short = (name: string | undefined): string => (name ?? "").slice(0, 3);

function dayOfYear(wall: Date): number {
  const first = new Date(wall);
  first.setUTCMonth(0, 1);
  return (wall.getTime() - first.getTime()) / DAY_MS + 1;
}

/** The number of the week; days before the first `firstDay` of the year are in week 0. */
const weekOfYear = (wall: Date, firstDay: number): number =>
  Math.floor((dayOfYear(wall) + 6 - ((wall.getUTCDay() - firstDay + 7) % 7)) / 7);

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return "th";
  return ["th", "st", "nd", "rd"][day % 10] ?? "th";
}

function offsetOf({ offsetMinutes }: WallClock, flags: string): string {
  const minutes = Math.trunc(Math.abs(offsetMinutes));
  const two = (value: number): string => String(value).padStart(2, "0");
  const between = flags.includes(":") ? ":" : "";
  return `${offsetMinutes < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${between}${two(minutes % 60)}`;
}

const inAmerica = (wall: Date, style: Intl.DateTimeFormatOptions = {}): string =>
  wall.toLocaleString("en-US", { timeZone: "UTC", ...style });

type Directive = (clock: WallClock, how: { flags: string; width: number }) => string | number;

const hour12 = (wall: Date): number => wall.getUTCHours() % 12 || 12;
const monthName: Directive = ({ wall }) => short(MONTHS[wall.getUTCMonth()]);

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  a: ({ wall }) => short(DAYS[wall.getUTCDay()]),
  A: ({ wall }) => DAYS[wall.getUTCDay()] ?? "",
  b: monthName,
  h: monthName,
  B: ({ wall }) => MONTHS[wall.getUTCMonth()] ?? "",
  c: ({ wall }) => inAmerica(wall),
  C: ({ wall }) => Math.floor(wall.getUTCFullYear() / 100),
  d: ({ wall }) => wall.getUTCDate(),
  e: ({ wall }) => wall.getUTCDate(),
  H: ({ wall }) => wall.getUTCHours(),
  k: ({ wall }) => wall.getUTCHours(),
  I: ({ wall }) => hour12(wall),
  l: ({ wall }) => hour12(wall),
  j: ({ wall }) => dayOfYear(wall),
  L: ({ wall }) => wall.getUTCMilliseconds(),
  m: ({ wall }) => wall.getUTCMonth() + 1,
  M: ({ wall }) => wall.getUTCMinutes(),
  N: ({ wall }, { width }) => {
    const digits = width || 9;
    return String(wall.getUTCMilliseconds()).padStart(3, "0").slice(0, digits).padEnd(digits, "0");
  },
  p: ({ wall }) => (wall.getUTCHours() < 12 ? "AM" : "PM"),
  P: ({ wall }) => (wall.getUTCHours() < 12 ? "am" : "pm"),
  q: ({ wall }) => ordinal(wall.getUTCDate()),
  s: ({ at }) => Math.floor(at / 1_000),
  S: ({ wall }) => wall.getUTCSeconds(),
  u: ({ wall }) => wall.getUTCDay() || 7,
  U: ({ wall }) => weekOfYear(wall, 0),
  w: ({ wall }) => wall.getUTCDay(),
  W: ({ wall }) => weekOfYear(wall, 1),
  x: ({ wall }) => inAmerica(wall, { year: "numeric", month: "numeric", day: "numeric" }),
  X: ({ wall }) => inAmerica(wall, { timeStyle: "medium" }),
  y: ({ wall }) => ((wall.getUTCFullYear() % 100) + 100) % 100,
  Y: ({ wall }) => wall.getUTCFullYear(),
  z: (clock, { flags }) => offsetOf(clock, flags),
  Z: (clock, { flags }) => clock.zoneName || offsetOf(clock, flags),
  t: () => "\t",
  n: () => "\n",
  "%": () => "%",
};

/** How wide a directive is without a width of its own. */
const WIDTHS: Readonly<Record<string, number>> = {
  C: 2,
  d: 2,
  e: 2,
  H: 2,
  I: 2,
  j: 3,
  k: 2,
  l: 2,
  L: 3,
  m: 2,
  M: 2,
  S: 2,
  U: 2,
  W: 2,
  y: 2,
  Y: 4,
};
const FILLED_WITH_BLANKS = "aAbBceklpP";

/** What has no small letters (`AM`) gets them, anything else is written in capitals, as with `#` in C. */
const swapped = (text: string): string =>
  text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();

function filledUp(text: string, code: string, { flags, width }: { flags: string; width: number }): string {
  if (flags.includes("-")) return text;
  const isBlank = flags.includes("_") || (FILLED_WITH_BLANKS.includes(code) && !flags.includes("0"));
  const most = width || (WIDTHS[code] ?? 0);
  if (isBlank) return text.padStart(most);
  return text.startsWith("-") ? `-${text.slice(1).padStart(most - 1, "0")}` : text.padStart(most, "0");
}

/**
 * Writes a time by a format of Ruby's and C's `strftime`, in English, as the filter `date` of Liquid does. LiquidJS reads the fields from
 * the clock of the server's own zone, which has hours that do not exist; here they are those of UTC.
 */
export const strftime = (clock: WallClock, format: string): string =>
  format.replace(
    /%([-_0^#:]*)(\d*)[EO]?([\s\S])/g,
    (written, flags: string, digits: string, code: string) => {
      const directive = Object.hasOwn(DIRECTIVES, code) ? DIRECTIVES[code] : undefined;
      if (directive === undefined) return written;
      const how = { flags, width: Math.min(Number(digits), MAX_WIDTH) };
      const text = String(directive(clock, how));
      const cased = flags.includes("^") ? text.toUpperCase() : flags.includes("#") ? swapped(text) : text;
      return filledUp(cased, code, how);
    },
  );
