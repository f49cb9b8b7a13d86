import { hourOn, startOfDay, zoneNamed } from "../../../platform/time/zone.ts";
import { isOnWeekday } from "../../campaigns/authoring/timing.pure.ts";
import type { Definition, Entry } from "./schema.ts";

const DAY_MS = 86_400_000;
/** Between two days of a month lie at most 31; one more on both sides, for clocks that go ahead or back. */
const DAYS_LOOKED_AT = 34;

export type Schedule = Extract<Entry, { on: "schedule" }>;

/** Whether a schedule has an occurrence on a day, whose beginning is given as clocks show it. */
function isOn({ weekdays, monthDays }: Schedule, day: number): boolean {
  if (monthDays !== undefined) return monthDays.includes(new Date(day).getUTCDate());
  return isOnWeekday(weekdays, day);
}

/** The first occurrence of a schedule behind an instant (epoch ms). */
export function occurrenceAfter(schedule: Schedule, instant: number): number {
  const zone = zoneNamed(schedule.zone);
  if (zone === null) throw new Error("A schedule in a zone that there is not.");
  const first = startOfDay(zone.shownAt(instant));
  for (let days = -1; days <= DAYS_LOOKED_AT; days++) {
    const day = first + days * DAY_MS;
    if (!isOn(schedule, day)) continue;
    const at = hourOn(zone, day, schedule.at);
    if (at > instant) return at;
  }
  throw new Error("A schedule without an occurrence.");
}

/** When a journey that begins to run at an instant lets users in out of its audience first (epoch ms); null where it does not. */
export function firstFillOf({ entry }: Definition, now: number): number | null {
  if (entry.on === "audience") return now;
  return entry.on === "schedule" ? occurrenceAfter(entry, now) : null;
}
