import { BoundedMap } from "../../../../platform/remember.ts";
import { resource } from "../../../../platform/runtime.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";

/** Messages that are remembered; beyond that, the one whose last report is oldest is forgotten. */
const MAX_MESSAGES = 10_000;

/** How many mails that name a message this process reads: a message has a handful of reports, and reading costs time. */
export type ReportBudget = {
  /** Takes one of a message's reports; answers 0, or the whole seconds to wait. `now` in epoch milliseconds. */
  take(message: string, now: number): number;
};

/** Counts by message, for an hour from the first. In memory: it bounds what this process does, and need not be exact. */
export const reportBudget = resource(({ config }): ReportBudget => {
  const seen = new BoundedMap<{ since: number; count: number }>(MAX_MESSAGES);
  return {
    take(message, now) {
      const known = seen.get(message);
      const current =
        known === undefined || now < known.since || now >= known.since + HOUR_MS
          ? { since: now, count: 0 }
          : known;
      if (current.count >= config.limits.reportsPerMessage)
        return Math.max(1, Math.ceil((current.since + HOUR_MS - now) / 1_000));
      current.count++;
      seen.set(message, current);
      return 0;
    },
  };
});
