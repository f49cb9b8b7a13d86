import { setTimeout as sleep } from "node:timers/promises";
import { type RequestRate, requestRate } from "../../../platform/http/request-rate.ts";
import { resource } from "../../../platform/runtime.ts";
import { type PiecePace, paceBeside } from "./pace.pure.ts";

type Bring<Answer> = (pace: PiecePace) => Promise<Answer>;

/**
 * The turns of a process' pieces, whichever files they are of. On a quiet server each is had at once. Beside requests they are had one after
 * the other, each after a rest for the one before: all files together have one share of the time.
 */
export class PieceTurns {
  readonly #rate: Pick<RequestRate, "perSecond">;
  readonly #steadyMs: () => number;
  #inLine: Promise<unknown> = Promise.resolve();
  #last = { tookMs: 0, endedAt: 0 };

  /** @param steadyMs a clock that only goes on, in milliseconds */
  constructor(rate: Pick<RequestRate, "perSecond">, steadyMs: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#steadyMs = steadyMs;
  }

  #pace(): PiecePace {
    return paceBeside(this.#rate.perSecond(), this.#last.tookMs);
  }

  /** Has a piece brought in at its turn. Once `signal` is aborted, it rests no longer, and the turn comes at once. */
  take<Answer>(signal: AbortSignal, bring: Bring<Answer>): Promise<Answer> {
    if (this.#pace().isQuiet) return this.#bring(bring);
    const turn = this.#inLine.then(async () => {
      const left = this.#last.endedAt + this.#pace().restMs - this.#steadyMs();
      if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined);
      return this.#bring(bring);
    });
    this.#inLine = turn.catch(() => undefined);
    return turn;
  }

  async #bring<Answer>(bring: Bring<Answer>): Promise<Answer> {
    const began = this.#steadyMs();
    try {
      return await bring(this.#pace());
    } finally {
      const endedAt = this.#steadyMs();
      this.#last = { tookMs: endedAt - began, endedAt };
    }
  }
}

export const pieceTurns = resource((app) => new PieceTurns(app.get(requestRate)));
