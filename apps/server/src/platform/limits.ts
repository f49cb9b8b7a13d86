/**
 * What one user and one project may leave behind, and what one request may cost: ceilings of this server, which `LIMITS` changes one by
 * one. Each has its row in docs/running.md, which a test compares with this list. Budgets of requests per minute are in `http/budget.ts`.
 */
export const defaultLimits = {
  /** Bytes of a user's traits, as compact JSON. */
  userTraitBytes: 32_768,
  /** Traits of a user. */
  userTraitKeys: 200,
  /** Different event names of a user. */
  userEventNames: 1_000,
  /** Test mails of a project that leave within an hour. */
  testMailsPerHour: 20,
  /** Pushes of a project that a process has under way at once. */
  pushesUnderWay: 500,
  /** Mails an hour that a process reads for a report of one message. */
  reportsPerMessage: 20,
} as const satisfies Readonly<Record<string, number>>;

export type LimitName = keyof typeof defaultLimits;

/** Every ceiling of this server: whole numbers, at least 1. */
export type Limits = Readonly<Record<LimitName, number>>;
