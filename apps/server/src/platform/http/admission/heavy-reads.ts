import { stoppable } from "../../db/stoppable.ts";
import { type App, resource } from "../../runtime.ts";
import { SECOND_MS } from "../../time/clock.ts";
import type { Ctx } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import { createBulkhead, type Patience } from "./bulkhead.ts";

/**
 * Runs an expensive read when it is its turn, and stops it when `signal` is aborted, which means that its client is gone. One that goes on with
 * an answer is `patient`: a refusal would cut the answer off.
 */
export type HeavyReads = <T>(
  ctx: Ctx,
  signal: AbortSignal,
  read: (ctx: Ctx) => Promise<T>,
  patience?: Patience,
) => Promise<T>;

const GONE = "The client is gone.";

/** The expensive reads of this server. They get half of the connections for requests, so that others find one. */
export const heavyReads = resource((app: App): HeavyReads => {
  const { database, config, log, metrics } = app;
  const { heavyReadsPerProject, heavyReadWaitMs, heavyReadsWaiting } = config.limits;
  const bulkhead = createBulkhead({
    total: Math.max(1, Math.floor((database.pool.options.max ?? 2) / 2)),
    perProject: heavyReadsPerProject,
    waitMs: heavyReadWaitMs,
    mostWaitingPerProject: heavyReadsWaiting,
  });
  metrics.queue("heavy reads", () => bulkhead.waiting);
  const retry = { "retry-after": String(Math.ceil(heavyReadWaitMs / SECOND_MS)) };
  const busy = `Other expensive reads (reports, lists, audience checks) are under way; this one waited for ${heavyReadWaitMs / SECOND_MS} seconds, or had too many before it. Try again in a moment, and ask for at most ${heavyReadsPerProject} at once.`;

  return async (ctx, signal, read, patience) => {
    const leave = await bulkhead.enter(ctx.projectId, signal, patience);
    if (leave === null)
      throw signal.aborted
        ? new ApiError("unavailable", GONE)
        : new ApiError("unavailable", busy, { headers: retry });
    try {
      const kysely = stoppable(database, signal, log);
      return await read({ ...ctx, db: kysely, app: { ...ctx.app, database: { ...database, kysely } } });
    } catch (cause) {
      // The client is gone and gets no answer, so this must not be logged as a failure.
      if (signal.aborted) throw new ApiError("unavailable", GONE);
      throw cause;
    } finally {
      leave();
    }
  };
});
