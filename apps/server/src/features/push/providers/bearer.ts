import type { Clock } from "../../../platform/time/clock.ts";

/** The token that authorizes requests. It is replaced from `renewAt` on, epoch ms. */
export type NewBearer = { value: string; renewAt: number };

/** Why there is no bearer. */
export type NoBearer = {
  kind: "blocked";
  code: string;
  class: "connection" | "credential" | "throttled" | "server";
  retryAfterMs?: number;
};

export type Bearer = NewBearer & { madeAt: number; wasRefused: boolean };

/** Caches a bearer until it has to be renewed. All requests that wait for a new one share it. */
export type Bearers = {
  /** @param fresh whether to replace a bearer that was refused or is older than `freshAfterMs` */
  get(fresh: boolean): Bearer | Promise<Bearer | NoBearer>;
};

/** `freshAfterMs`: a fresh bearer is not made more often than this, unless the last one was refused. `make` never throws. */
export function createBearers(
  clock: Clock,
  freshAfterMs: number,
  make: () => Promise<NewBearer | NoBearer>,
): Bearers {
  let kept: Bearer | null = null;
  let making: Promise<Bearer | NoBearer> | null = null;

  async function renew(): Promise<Bearer | NoBearer> {
    const made = await make();
    making = null;
    if ("kind" in made) return made;
    kept = { ...made, madeAt: clock(), wasRefused: false };
    return kept;
  }

  return {
    get(fresh) {
      const now = clock();
      const isStale = (bearer: Bearer): boolean =>
        now >= bearer.renewAt ||
        // The clock was set back: a provider refuses what is dated ahead.
        now < bearer.madeAt ||
        (fresh && (bearer.wasRefused || now - bearer.madeAt >= freshAfterMs));
      if (kept !== null && !isStale(kept)) return kept;
      making ??= renew();
      return making;
    },
  };
}
