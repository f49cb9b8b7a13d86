/** The calendar month of an instant, UTC, as year and month: 202611. */
export function calendarPeriod(atMs: number): number {
  const date = new Date(atMs);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}
