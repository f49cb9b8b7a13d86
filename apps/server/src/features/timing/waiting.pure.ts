/** What keeps messages from leaving at once that leave later. */
export const WAITS = ["local_hour", "quiet", "pressure", "cap"] as const;
export type Wait = (typeof WAITS)[number];

/** For what a message waits, and until when (epoch ms). */
export type WaitsFor = { by: string; until: number };

/**
 * For what a message waits, as it is kept with it: the kind, what decides about it, and after a slash the most hours that it takes. A message whose
 * words are not those of now is decided about anew.
 */
export const waitWords = (
  kind: Exclude<Wait, "cap">,
  decidedBy: readonly (string | number)[],
  hours: number,
): string => `${[kind, ...decidedBy].join(" ")}/${hours}`;

/** The kind of what a message waits for; the words of the cap begin with its number. */
export const kindOfWait = (words: string): Wait =>
  WAITS.find((kind) => words.startsWith(`${kind} `)) ?? "cap";

/** SQL of the same of a column with such words. */
export const kindOfWaitSql = (words: string): string =>
  `case when split_part(${words}, ' ', 1) in ('local_hour', 'quiet', 'pressure') then split_part(${words}, ' ', 1) else 'cap' end`;

/** SQL of the most hours that such words take. */
export const hoursOfWaitSql = (words: string): string => `substring(${words} from '[0-9]+$')::int8`;

/** Until when (epoch ms) a message waits for this; null where it does not, or for something else. @param words null where nothing waits for it */
export const waitsUntil = (waiting: WaitsFor | null, words: string | null, now: number): number | null =>
  waiting !== null && words !== null && waiting.by === words && waiting.until > now ? waiting.until : null;
