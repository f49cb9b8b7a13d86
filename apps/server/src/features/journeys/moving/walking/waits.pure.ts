import { parseIso } from "../../../../platform/http/contract/instants.ts";
import { hourOn, startOfDay } from "../../../../platform/time/zone.ts";
import { ZONE_TRAIT } from "../../../content/template/template.pure.ts";
import { type ReaderClock, readerClock } from "../../../timing/reader-clock.pure.ts";
import { leavesAt, zoneFor } from "../../../timing/send-time.pure.ts";
import { type DateWait, WAIT_UNITS } from "../../authoring/steps.pure.ts";
import type { WaitEnd, WaitStep } from "../../authoring/walk.pure.ts";

const DAY_MS = 86_400_000;
/** How often a date is read again, which may have changed meanwhile: so late a user may go on whose date has come nearer. */
const READ_DATE_EVERY_MS = 3_600_000;
/** Years around that of the arrival: days before or after a day may lie in another one. */
const YEARS_AROUND = [-1, 0, 1, 2];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** What waits of a user depend on. `project`: the clock of users who have no time zone. */
export type WaitFacts = { traits: Readonly<Record<string, unknown>>; project: ReaderClock; now: number };

/** The day of a trait as clocks of a zone show its beginning; null where the trait is no date. */
function dayOf(value: unknown, zone: ReaderClock["zone"]): number | null {
  if (typeof value !== "string") return null;
  const isDay = DATE.test(value);
  const ms = parseIso(isDay ? `${value}T00:00:00Z` : value);
  if (Number.isNaN(ms)) return null;
  return isDay ? ms : startOfDay(zone.shownAt(ms));
}

/** The same day of another year; of the 29th of February, which few years have, the 28th. */
function inYear(day: number, year: number): number {
  const date = new Date(day);
  const same = Date.UTC(year, date.getUTCMonth(), date.getUTCDate());
  return new Date(same).getUTCMonth() === date.getUTCMonth() ? same : same - DAY_MS;
}

function dateEnd(
  { trait, days, at, zone, yearly }: DateWait,
  reader: ReaderClock,
  traits: WaitFacts["traits"],
  arrivedAt: number,
): number | null {
  const clock = zoneFor(zone, reader);
  const day = dayOf(traits[trait], clock);
  if (day === null) return null;
  const endOn = (some: number): number => hourOn(clock, some + days * DAY_MS, at);
  if (yearly !== true) return endOn(day);
  const year = new Date(clock.shownAt(arrivedAt)).getUTCFullYear();
  const ends = YEARS_AROUND.map((years) => endOn(inYear(day, year + years)));
  return ends.find((end) => end >= arrivedAt) ?? null;
}

/** When a wait is over for a user who has been there since an instant (epoch ms). */
export function waitEndOf(step: WaitStep, arrivedAt: number, { traits, project, now }: WaitFacts): WaitEnd {
  if ("for" in step) return { at: arrivedAt + step.for.amount * WAIT_UNITS[step.for.unit], lookAt: null };
  const reader = readerClock(traits[ZONE_TRAIT], project);
  if ("date" in step)
    return { at: dateEnd(step.date, reader, traits, arrivedAt), lookAt: now + READ_DATE_EVERY_MS };
  return {
    at: leavesAt({ sendTime: step.until, deliverFrom: null }, reader, project, arrivedAt),
    lookAt: null,
  };
}
