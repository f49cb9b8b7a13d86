import { resource } from "../runtime.ts";
import { SECOND_MS } from "../time/clock.ts";

/** After so long, requests that stopped coming count for a third (1/e). */
const FADES_MS = 3 * SECOND_MS;

/** How many requests come in a second: those of the last few seconds, the latest most. Work that can wait leaves the machine to them. */
export class RequestRate {
  readonly #steadyMs: () => number;
  #perSecond = 0;
  #at = 0;

  /** @param steadyMs a clock that only goes on, in milliseconds */
  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  #faded(now: number): number {
    return this.#perSecond * Math.exp((this.#at - now) / FADES_MS);
  }

  /** Counts a request that comes now. */
  count(): void {
    const now = this.#steadyMs();
    this.#perSecond = this.#faded(now) + SECOND_MS / FADES_MS;
    this.#at = now;
  }

  perSecond(): number {
    return this.#faded(this.#steadyMs());
  }
}

/** Requests to this process, whatever they are for. */
export const requestRate = resource(() => new RequestRate());
