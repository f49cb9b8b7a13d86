import { resource } from "../../platform/runtime.ts";
import { calendarPeriod } from "./rules.ts";

/** Users that are known to be counted; about 5 MB at most in each of two generations. */
const GENERATION = 40_000;

/**
 * Users already counted as active in their period, so that the statement need not look again. Only what was committed is
 * remembered, and forgetting is harmless: the table decides.
 */
export type RecentlyActive = {
  isCounted(userKey: string, period: number): boolean;
  /** Remembers users whose counting was committed. */
  counted(users: readonly { userKey: string }[], period: number): void;
  /** Users who may have been erased: the table is to be asked again. */
  forget(users: readonly { userKey: string }[]): void;
};

export const recentlyActive = resource((): RecentlyActive => {
  let current = { period: calendarPeriod(0), users: new Set<string>(), before: new Set<string>() };
  return {
    isCounted: (userKey, period) =>
      period === current.period && (current.users.has(userKey) || current.before.has(userKey)),
    counted(users, period) {
      if (period !== current.period) current = { period, users: new Set(), before: new Set() };
      for (const { userKey } of users) current.users.add(userKey);
      if (current.users.size >= GENERATION) current = { period, users: new Set(), before: current.users };
    },
    forget(users) {
      for (const { userKey } of users) {
        current.users.delete(userKey);
        current.before.delete(userKey);
      }
    },
  };
});
