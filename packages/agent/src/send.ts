import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const TRIES = 4;
const FIRST_PAUSE_MS = 500;
const TIMEOUT_MS = 30_000;
const LONGEST_PAUSE_MS = 60_000;
const SECOND_MS = 1_000;

/** How long to wait before the next try, in milliseconds: as long as the server says, else twice as long each time. */
function pauseOf(answer: Response | null, tried: number): number {
  const seconds = Number(answer?.headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(seconds)) return Math.min(seconds * SECOND_MS, LONGEST_PAUSE_MS);
  return FIRST_PAUSE_MS * 2 ** tried;
}

const isPassing = ({ status }: Response): boolean => status === 429 || status >= 500;

/**
 * A fetch for programs that run for long: every write carries an Idempotency-Key, so that what is sent again after a fault of the network, a
 * 429 or a 5xx is done once. Gives up after four tries, and after the first one once `stopping` is aborted.
 */
export const patientFetch =
  (stopping: AbortSignal): typeof fetch =>
  async (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (init.method !== undefined && init.method !== "GET" && !headers.has("idempotency-key"))
      headers.set("idempotency-key", randomUUID());
    for (let tried = 0; ; tried++) {
      const isLast = tried === TRIES - 1 || stopping.aborted;
      let answer: Response | null = null;
      try {
        answer = await fetch(input, { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
        if (isLast || !isPassing(answer)) return answer;
        await answer.body?.cancel();
      } catch (cause) {
        if (isLast) throw cause;
      }
      await sleep(pauseOf(answer, tried), undefined, { signal: stopping }).catch(() => undefined);
    }
  };
