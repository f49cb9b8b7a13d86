import { resource } from "../../../platform/runtime.ts";

/** Users that are known to be counted; about 5 MB at most in each of two generations. */
const GENERATION = 40_000;

/**
 * Users already counted as active in their period, so that the statement need not look again. Only what was committed is
 * remembered, and forgetting is harmless: the table decides.
 */
export type RecentlyActive = {
  isCounted(userKey: string, period: number): boolean;
  /** Remembers users whose counting was committed. */
  counted(users: readonly { userKey: string; period: number }[]): void;
  /** Users who may have been erased: the table is to be asked again. */
  forget(users: readonly { userKey: string }[]): void;
};

export const recentlyActive = resource((): RecentlyActive => {
  let current = new Map<string, number>();
  let before = new Map<string, number>();
  return {
    isCounted: (userKey, period) => (current.get(userKey) ?? before.get(userKey)) === period,
    counted(users) {
      for (const { userKey, period } of users) current.set(userKey, period);
      if (current.size >= GENERATION) [current, before] = [new Map(), current];
    },
    forget(users) {
      for (const { userKey } of users) {
        current.delete(userKey);
        before.delete(userKey);
      }
    },
  };
});
