import { type App, resource } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import { isDue } from "../../../platform/time/far-ahead.ts";

/** How long a journey rests with which something went wrong, so that the others go on. */
const AFTER_A_FAILURE_MS = 30 * SECOND_MS;

/** Does something for journeys, one after the other. */
type Attempts = {
  /** Does something for a journey (UUID). Where that goes wrong the journey rests. Answers whether it went well. */
  attempt(app: App, journeyId: string, act: () => Promise<unknown>): Promise<boolean>;
  /** The journeys that rest now. */
  restingNow(app: App): string[];
};

/** What one loop does for journeys, each of which may fail without keeping the others. */
export function attempts(): Attempts {
  /** Journeys that rest, by their ids, until an instant in epoch milliseconds. */
  const resting = resource(() => new Map<string, number>());
  return {
    async attempt(app, journeyId, act) {
      try {
        await act();
        return true;
      } catch (cause) {
        app.log.error({ err: cause, journeyId }, "a journey could not go on; it will be tried again");
        app.get(resting).set(journeyId, app.clock() + AFTER_A_FAILURE_MS);
        return false;
      }
    },
    restingNow(app) {
      const all = app.get(resting);
      const now = app.clock();
      for (const [id, until] of all) if (isDue(until, now, AFTER_A_FAILURE_MS)) all.delete(id);
      return [...all.keys()];
    },
  };
}
