/**
 * By so much (ms) the clocks of two computers may differ without anything being mistaken. An instant that another process set lies at most
 * so much further ahead than one that this process would have set.
 */
export const CLOCKS_DIFFER_MS = 60_000;

/**
 * Whether an instant lies further ahead than any that is set: `mostMs` is the furthest ahead that it may be set. The clock that set it was
 * ahead and is right again, so it means nothing: what waits for it is due, and what lasts until then is over.
 */
export const isFarAhead = (at: number, now: number, mostMs: number): boolean =>
  at > now + mostMs + CLOCKS_DIFFER_MS;

/** Whether an instant has come, or lies further ahead than any that is set. */
export const isDue = (at: number, now: number, mostMs: number): boolean =>
  at <= now || isFarAhead(at, now, mostMs);

/** A look for what is due now, and for what comes due by `until`. Epoch milliseconds. */
export type Look = { now: number; until: number };

/**
 * When something happened, as it is read: what a clock that was ahead wrote down counts as having happened now, until its instant has come.
 */
export const notAhead = (at: number, now: number): number => Math.min(at, now);

/** SQL of `isFarAhead`, for `bigint` in epoch milliseconds. `mostMs` may be the SQL of a number. */
export const farAheadSql = (at: string, now: string, mostMs: number | string): string =>
  `${at} > ${now}::int8 + ${CLOCKS_DIFFER_MS} + ${mostMs}`;

/** SQL of the instant at which something is due that waits until `at`: now, where that lies further ahead than any is set. */
export const dueAtSql = (at: string, now: string, mostMs: number | string): string =>
  `case when ${farAheadSql(at, now, mostMs)} then ${now}::int8 else ${at} end`;

/** SQL of `isDue`; null where `at` is null. */
export const dueSql = (at: string, now: string, mostMs: number | string): string =>
  `(${at} <= ${now}::int8 or ${farAheadSql(at, now, mostMs)})`;
