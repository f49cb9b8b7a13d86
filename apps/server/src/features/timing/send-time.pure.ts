import { type Zone, zoneNamed } from "../../platform/time/zone.ts";
import {
  type CampaignTiming,
  READERS_ZONE,
  type SendTime,
  WEEKDAYS,
} from "../campaigns/authoring/timing.pure.ts";
import type { ReaderClock } from "./reader-clock.pure.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 3;

const startOfDay = (shown: number): number => Math.floor(shown / DAY_MS) * DAY_MS;

/** The minute of the day of a text such as `09:00`. */
const minuteOf = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3));

const mayLeaveOn = ({ weekdays }: SendTime, day: number): boolean =>
  weekdays === undefined || weekdays.includes(WEEKDAYS[(day / DAY_MS + FIRST_WEEKDAY) % 7] ?? "mon");

/** The first instant, at or after `from`, at which clocks show the hour on a day on which messages may leave. */
function nextAfter(sendTime: SendTime, zone: Zone, from: number): number {
  const first = startOfDay(zone.shownAt(from));
  // Where clocks go ahead or back, what they show may be a day off: one more day than a week has is looked at, on both sides.
  for (let days = -1; days <= 8; days++) {
    const day = first + days * DAY_MS;
    if (!mayLeaveOn(sendTime, day)) continue;
    const at = zone.instantOf(day + minuteOf(sendTime.at) * MINUTE_MS);
    if (at >= from) return at;
  }
  throw new Error("A week without a day on which messages may leave.");
}

/**
 * When a message that was queued at an instant leaves (epoch ms), by the clocks of its reader. Where delivery begins on a date, it leaves on that
 * date: at once for a day from the hour on, because the hour of some readers has gone by when delivery begins. Later, and without a date, it leaves
 * the next time that the hour comes.
 * @param project the zone of the project, in which the date is read where each reader has an hour of their own
 */
export function leavesAt(
  { sendTime, deliverFrom }: Pick<CampaignTiming, "sendTime" | "deliverFrom">,
  reader: ReaderClock,
  project: ReaderClock,
  queuedAt: number,
): number {
  if (sendTime === null) return queuedAt;
  const own = sendTime.zone === READERS_ZONE ? null : zoneNamed(sendTime.zone);
  const zone = own ?? reader.zone;
  const from = Math.max(queuedAt, deliverFrom ?? 0);
  if (deliverFrom === null) return nextAfter(sendTime, zone, from);
  const date = startOfDay((own ?? project.zone).shownAt(deliverFrom));
  const hour = mayLeaveOn(sendTime, date) ? zone.instantOf(date + minuteOf(sendTime.at) * MINUTE_MS) : null;
  if (hour === null) return nextAfter(sendTime, zone, from);
  if (hour >= from) return hour;
  return from < hour + DAY_MS ? from : nextAfter(sendTime, zone, from);
}
