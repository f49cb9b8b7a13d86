import { createBulkhead } from "../../../platform/http/admission/bulkhead.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";

/**
 * Runs what compares a password when it is its turn: each takes a processor for a moment, so a few do at once. Browsers that have signed in
 * before have a queue and a place of their own, which strangers cannot fill.
 */
export type PasswordChecks = <T>(
  asker: { address: string; isKnown: boolean },
  check: () => Promise<T>,
) => Promise<T>;

const WAIT_MS = 10 * SECOND_MS;
/** One address has at most every fifth of the places to wait in. */
const SHARE = 5;

const BUSY = "Too many people sign in at this moment. Try again in a few seconds.";

export const passwordChecks = resource(({ config: { limits }, metrics }: App): PasswordChecks => {
  const { passwordChecks: total, passwordChecksWaiting: mostWaiting } = limits;
  const queue = (places: number) =>
    createBulkhead({
      total: places,
      perProject: Math.max(1, Math.floor(places / 2)),
      waitMs: WAIT_MS,
      mostWaiting,
      mostWaitingPerProject: Math.max(1, Math.floor(mostWaiting / SHARE)),
    });
  const [strangers, known] = [queue(Math.max(1, total - 1)), queue(1)];
  metrics.queue("passwords", () => strangers.waiting + known.waiting);
  return async ({ address, isKnown }, check) => {
    const leave = await (isKnown ? known : strangers).enter(address, new AbortController().signal);
    if (leave === null) throw new ApiError("unavailable", BUSY, { headers: { "retry-after": "5" } });
    try {
      return await check();
    } finally {
      leave();
    }
  };
});
