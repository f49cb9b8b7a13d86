import { words } from "../words.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A span of time in its largest unit that is whole at least twice. */
export function spanOf(ms: number): string {
  const whole = (unit: number): number => Math.floor(ms / unit);
  const { days, hours, minutes, less } = words.spans;
  if (whole(DAY_MS) >= 2) return days(whole(DAY_MS));
  if (whole(HOUR_MS) >= 2) return hours(whole(HOUR_MS));
  if (whole(MINUTE_MS) >= 1) return minutes(whole(MINUTE_MS));
  return less;
}
