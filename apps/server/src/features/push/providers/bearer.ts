import type { Clock } from "../../../platform/clock.ts";

/** What a request proves itself with. `renewAt`: epoch ms from which on another one is due. */
export type NewBearer = { value: string; renewAt: number };

/** Why there is none. */
export type NoBearer = {
  kind: "blocked";
  code: string;
  class: "connection" | "credential" | "throttled" | "server";
  retryAfterMs?: number;
};

export type Bearer = NewBearer & { madeAt: number; wasRefused: boolean };

/** Keeps what `make` makes until it is due, and makes one for all who wait. */
export type Bearers = {
  /** @param fresh whether one that was refused, or is older than `freshAfterMs`, will not do */
  get(fresh: boolean): Bearer | Promise<Bearer | NoBearer>;
};

/** `freshAfterMs`: a fresh one is not made more often than that, unless the last one was refused. `make` never throws. */
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
        now >= bearer.renewAt || (fresh && (bearer.wasRefused || now - bearer.madeAt >= freshAfterMs));
      if (kept !== null && !isStale(kept)) return kept;
      making ??= renew();
      return making;
    },
  };
}
