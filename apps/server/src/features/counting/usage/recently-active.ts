import { resource } from "../../../platform/runtime.ts";

/** Users remembered in each of two generations; about 5 MB each. */
const GENERATION = 40_000;

/**
 * Remembers users already counted as active in their period, so that statements need not look them up again. Only committed counts
 * are remembered. Forgetting one is harmless: the table decides.
 */
export type RecentlyActive = {
  isCounted(userKey: string, period: number): boolean;
  /** Remembers users whose counting was committed. */
  counted(users: readonly { userKey: string; period: number }[]): void;
  /** Forgets users who may have been erased, so that the table is read again. */
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
