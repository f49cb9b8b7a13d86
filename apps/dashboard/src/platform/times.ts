const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** An instant (epoch ms) in the zone of the reader, with its name in the title of the element that shows it. */
export const timeOf = (at: number): string => DATE.format(at);

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
