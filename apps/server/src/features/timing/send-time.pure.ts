import { hourOn, startOfDay, type Zone, zoneNamed } from "../../platform/time/zone.ts";
import {
  type CampaignTiming,
  isOnWeekday,
  READERS_ZONE,
  type SendTime,
} from "../campaigns/authoring/timing.pure.ts";
import type { ReaderClock } from "./reader-clock.pure.ts";

const DAY_MS = 86_400_000;
/** The clocks that a time of the day is meant by: those of the zone that it names, or those of the reader. */
export const zoneFor = (named: string, reader: ReaderClock): Zone =>
  (named === READERS_ZONE ? null : zoneNamed(named)) ?? reader.zone;

/** The first instant, at or after `from`, at which clocks show the hour on a day on which messages may leave. */
function nextAfter(sendTime: SendTime, zone: Zone, from: number): number {
  const first = startOfDay(zone.shownAt(from));
  // Where clocks go ahead or back, what they show may be a day off: one more day than a week has is looked at, on both sides.
  for (let days = -1; days <= 8; days++) {
    const day = first + days * DAY_MS;
    if (!isOnWeekday(sendTime.weekdays, day)) continue;
    const at = hourOn(zone, day, sendTime.at);
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
  const zone = zoneFor(sendTime.zone, reader);
  const from = Math.max(queuedAt, deliverFrom ?? 0);
  if (deliverFrom === null) return nextAfter(sendTime, zone, from);
  const date = startOfDay(zoneFor(sendTime.zone, project).shownAt(deliverFrom));
  const hour = isOnWeekday(sendTime.weekdays, date) ? hourOn(zone, date, sendTime.at) : null;
  if (hour === null) return nextAfter(sendTime, zone, from);
  if (hour >= from) return hour;
  return from < hour + DAY_MS ? from : nextAfter(sendTime, zone, from);
}
