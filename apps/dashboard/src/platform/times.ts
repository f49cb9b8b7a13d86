const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const UTC_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** An instant (epoch ms) in the zone of the reader, which `zoneName` names. */
export const timeOf = (at: number): string => DATE.format(at);

/** The UTC day of an instant (epoch ms). What shows it says that days are those of UTC. */
export const utcDayOf = (at: number): string => UTC_DAY.format(at);

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const MINUTE_MS = 60_000;

/** An instant (epoch ms) as a field for a local time has it; empty for none. */
export function localTimeOf(at: number | null): string {
  if (at === null || Number.isNaN(at)) return "";
  const offset = new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(at - offset).toISOString().slice(0, 16);
}

/** The instant (epoch ms) of a local time; null for none. */
export const instantOf = (localTime: string): number | null =>
  localTime === "" ? null : new Date(localTime).getTime();

const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The time of day of an instant (epoch ms), to the second, for what was counted just now. */
export const timeWithSecondsOf = (at: number): string => SECONDS.format(at);

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** An instant (epoch ms) to the second, where several follow each other within a minute. */
export const exactTimeOf = (at: number): string => EXACT.format(at);

const UTC = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** The UTC days from one instant (epoch ms) to another, with their year. */
export const utcRangeOf = (from: number, to: number): string => UTC.formatRange(from, to);
