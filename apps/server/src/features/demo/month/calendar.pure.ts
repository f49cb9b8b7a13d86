const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How many days the month has. The last one ends now. */
export const MONTH_DAYS = 30;

/** How busy a shop is, hour by hour of the day (UTC): breakfast, lunch, and most of all the evening. */
const HOURS = [1, 1, 1, 1, 1, 2, 5, 9, 11, 9, 8, 8, 10, 9, 7, 7, 8, 10, 13, 15, 14, 10, 6, 3];
/** How busy it is by weekday, from Sunday on: of visitors who meant to come on a quiet day, some come a day later. */
const WEEKDAYS = [1, 0.72, 0.8, 0.86, 0.9, 0.95, 1];
/** Nothing happens within the last minutes, so that what follows from a visit is over by now. */
const QUIET_MS = 10 * MINUTE_MS;

/** The instant at which an hour of the month begins, `at` hours after the beginning of a day (both may have a fraction). */
export const instantOf = (now: number, day: number, hours = 0): number =>
  now - (MONTH_DAYS - day) * DAY_MS + Math.floor(hours * HOUR_MS);

/** The place of a share in 0..1 among weights, as a share of all places. */
function placeOf(weights: readonly number[], share: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = share * total;
  for (const [index, weight] of weights.entries()) {
    if (left < weight) return (index + left / weight) / weights.length;
    left -= weight;
  }
  return 1;
}

/**
 * When a visit of a day of the month happens, epoch milliseconds: within the 24 hours of the day, at an hour of daily life.
 * @param isDelayed a share in 0..1: visitors beyond the weekday's come on the next day, except on the last one
 */
export function visitAt(now: number, day: number, share: number, isDelayed: number): number {
  const weekday = new Date(instantOf(now, day, 12)).getUTCDay();
  const isLate = isDelayed >= (WEEKDAYS[weekday] ?? 1) && day < MONTH_DAYS - 1;
  const begins = instantOf(now, isLate ? day + 1 : day);
  // The day of the month begins at any hour: the weights begin with that one.
  const hour = new Date(begins).getUTCHours();
  const weights = [...HOURS.slice(hour), ...HOURS.slice(0, hour)];
  return Math.min(begins + Math.floor(placeOf(weights, share) * DAY_MS), now - QUIET_MS);
}
