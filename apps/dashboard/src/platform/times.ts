const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const UTC_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** An instant (epoch ms) in the zone of the reader, which `zoneName` names. */
export const timeOf = (at: number): string => DATE.format(at);

/** The UTC day of an instant (epoch ms). What shows it says that days are those of UTC. */
export const utcDayOf = (at: number): string => UTC_DAY.format(at);

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
