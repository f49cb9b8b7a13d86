import { setTimeout as sleep } from "node:timers/promises";
import { type RequestRate, requestRate } from "../http/request-rate.ts";
import { resource } from "../runtime.ts";
import { type PiecePace, paceBeside } from "./pace.pure.ts";

type Work<Answer> = (pace: PiecePace) => Promise<Answer>;

/**
 * The turns of pieces of work that can wait, such as those of files which are brought in or written. On a quiet server each is had at once. Beside
 * requests they are had one after the other, each after a rest for the one before: all of them together have one share of the time.
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

  /** Has a piece of work done at its turn. Once `signal` is aborted, it rests no longer, and the turn comes at once. */
  take<Answer>(signal: AbortSignal, work: Work<Answer>): Promise<Answer> {
    if (this.#pace().isQuiet) return this.#do(work);
    const turn = this.#inLine.then(async () => {
      const left = this.#last.endedAt + this.#pace().restMs - this.#steadyMs();
      if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined);
      return this.#do(work);
    });
    this.#inLine = turn.catch(() => undefined);
    return turn;
  }

  async #do<Answer>(work: Work<Answer>): Promise<Answer> {
    const began = this.#steadyMs();
    try {
      return await work(this.#pace());
    } finally {
      const endedAt = this.#steadyMs();
      this.#last = { tookMs: endedAt - began, endedAt };
    }
  }
}

export const pieceTurns = resource((app) => new PieceTurns(app.get(requestRate)));
