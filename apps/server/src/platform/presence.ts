import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "./clock.ts";
import { countWorkers, noteWorker, removeWorker, strikeOffWorkers } from "./db/workers.ts";
import { newUuid } from "./ids.ts";
import { type App, resource } from "./runtime.ts";

const SEEN_EVERY_MS = 3 * SECOND_MS;
/** Who was not seen for so long is gone, for all others. */
export const SILENT_MS = 15 * SECOND_MS;
/** A process that could not say for so long that it is there does not trust in its claims any more, before others give them up. */
const TRUST_MS = 10 * SECOND_MS;

/**
 * This process among those that work on the same database. It says every few seconds that it is there; who is silent (killed,
 * stopped, cut off) is struck off by the others, who then give up its claims and free its jobs. One that comes to itself after that
 * goes on under a new fence, and nothing leaves under its old one.
 */
export type Presence = {
  /** Under which claims are made now. */
  fence(): string;
  /** Whether claims under a fence are still this process' own, as far as it can know: looked at before a first byte leaves. */
  holds(fence: string): boolean;
  /** Whose claims it may give up: those of every process that is not listed and has not this fence; null: nobody's, but in time. */
  judge(): string | null;
  /** Joins those that work. To be awaited before the first claim. */
  join(): Promise<void>;
  /** Leaves them: what it may still hold is given up. */
  leave(): Promise<void>;
};

function createPresence({ config, clock, database, log }: App): Presence {
  // The embedded database belongs to one process: nobody else could give up its claims, and nobody else's can be alive.
  const isAlone = config.databaseUrl === null;
  let fence = newUuid(clock());
  // Of a steady clock, which goes on while a process is stopped: since when it was seen without a gap, and when last.
  let seen: { since: number; last: number } | null = null;
  let saying: Promise<void> | null = null;
  const leaving = new AbortController();

  const isTrusted = (now: number): boolean => isAlone || seen === null || now - seen.last < TRUST_MS;

  async function say(): Promise<void> {
    const now = performance.now();
    const wasAway = !isTrusted(now);
    const next = wasAway ? newUuid(clock()) : fence;
    await noteWorker(database.hotPool, { fence: next, jobPools: [] });
    if (wasAway) log.warn("this process was not seen for a while; it goes on under a new fence");
    fence = next;
    seen = { since: wasAway ? now : (seen?.since ?? now), last: now };
    // Who was away itself, or has only just come, gives the others time to show up: they may have been cut off as well.
    if (!isAlone && now - seen.since < SILENT_MS) return;
    const gone = await strikeOffWorkers(database.hotPool, fence, isAlone ? 0 : SILENT_MS);
    if (gone > 0 && !isAlone) log.warn({ gone }, "other processes are gone; their claims are given up");
  }

  async function keepSaying(): Promise<void> {
    const { signal } = leaving;
    for (;;) {
      await sleep(SEEN_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await say().catch((cause: unknown) =>
        log.warn({ err: cause }, "this process could not say that it works"),
      );
    }
  }

  return {
    fence: () => fence,
    holds: (claimed) => claimed === fence && isTrusted(performance.now()),
    judge: () =>
      isAlone || (seen !== null && seen.last - seen.since >= SILENT_MS && isTrusted(performance.now()))
        ? fence
        : null,
    async join() {
      await say();
      saying = keepSaying();
    },
    async leave() {
      leaving.abort();
      await saying;
      if (saying !== null) await removeWorker(database.hotPool, fence).catch(() => undefined);
    },
  };
}

export const presence = resource(createPresence);

/** Processes that work, as anybody who shares the database sees them. */
export const workerMetrics = resource(({ metrics, database }) =>
  metrics.gauges({ tidings_workers: "Processes that work: plan, send, keep house." }, async () => ({
    tidings_workers: await countWorkers(database.pool, SILENT_MS),
  })),
);
