import type { Deadline } from "./endpoint.ts";

const SECOND_MS = 1_000;

/** Time that is over after `seconds`, or when the runner stops. `end` leaves nothing behind. */
export function startDeadline(seconds: number, stopping: AbortSignal): Deadline & { end(): void } {
  const over = new AbortController();
  const abort = () => over.abort();
  const endsAt = performance.now() + seconds * SECOND_MS;
  const timer = setTimeout(abort, seconds * SECOND_MS);
  stopping.addEventListener("abort", abort);
  return {
    signal: over.signal,
    remainingMs: () => endsAt - performance.now(),
    end() {
      clearTimeout(timer);
      stopping.removeEventListener("abort", abort);
    },
  };
}
