import { processes } from "../../loops/processes.ts";
import { type App, resource } from "../../runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../time/clock.ts";
import { isDue } from "../../time/far-ahead.ts";
import { type Budget, type BudgetLimits, createBuckets, limitOf, PARTS, type Spent } from "./budget.ts";
import { collectBudgetsAcrossProjects, drawBudget, recordSpending } from "./budget-store.ts";

/** Takes one request from a project's budget; answers 0, or the whole seconds to wait. Without a promise where possible. */
type TakeBudget = (projectId: string, budget: Budget, nowMs: number) => number | Promise<number>;

export type Budgets = {
  take: TakeBudget;
  /** Makes this process and the others that serve with the same database know of each other. */
  join(): Promise<void>;
  /** Returns requests that were drawn and not used. */
  leave(): Promise<void>;
};

const BEAT_MS = SECOND_MS;
/** How long a process draws nothing after it got less than it wanted, so that refusals cost no statement. */
const REST_MS = 100;
/** All slices together are a twentieth of the budget, and a process asks for the next when half of its own is spent. */
const SLICES = 20;

/** The requests that a process has drawn from a project's budget and not used yet. */
type Slice = {
  projectId: string;
  budget: Budget;
  requests: number;
  waiting: number;
  drawing: Promise<void> | null;
  restsUntilMs: number;
  /** Whether a request has come since the last heartbeat. */
  isUsed: boolean;
};

/** The slices of one process that shares its budgets with others. */
class Slices {
  readonly #app: App;
  readonly #limits: BudgetLimits;
  readonly #slices = new Map<string, Slice>();
  /** Processes that share, this one included. */
  processes = 1;

  constructor(app: App, limits: BudgetLimits) {
    this.#app = app;
    this.#limits = limits;
  }

  #sliceOf(projectId: string, budget: Budget): Slice {
    const key = `${budget} ${projectId}`;
    let slice = this.#slices.get(key);
    if (slice === undefined) {
      slice = {
        projectId,
        budget,
        requests: 0,
        waiting: 0,
        drawing: null,
        restsUntilMs: 0,
        isUsed: true,
      };
      this.#slices.set(key, slice);
    }
    return slice;
  }

  #sizeOf(budget: Budget): number {
    return Math.max(1, Math.floor(limitOf(this.#limits, budget) / (SLICES * this.processes)));
  }

  async #draw(slice: Slice): Promise<void> {
    const { clock, database, log } = this.#app;
    const wanted = Math.max(this.#sizeOf(slice.budget), slice.waiting);
    try {
      const perMinute = limitOf(this.#limits, slice.budget);
      const { granted, waitMs } = await drawBudget(database.hotPool, slice, perMinute, wanted);
      slice.requests += granted;
      slice.restsUntilMs = granted < wanted ? clock() + Math.max(REST_MS, waitMs) : 0;
    } catch (cause) {
      // Requests are admitted: their next statement reports what is wrong with the database.
      log.warn({ err: cause }, "a budget could not be read; requests are let in");
      slice.requests += wanted;
      slice.restsUntilMs = clock() + BEAT_MS;
    } finally {
      slice.drawing = null;
    }
  }

  #drawOnce(slice: Slice): Promise<void> {
    slice.drawing ??= this.#draw(slice);
    return slice.drawing;
  }

  async #waitFor(slice: Slice): Promise<number> {
    slice.waiting++;
    await this.#drawOnce(slice);
    slice.waiting--;
    return this.#takeFrom(slice, this.#app.clock());
  }

  #takeFrom(slice: Slice, nowMs: number): number | Promise<number> {
    slice.isUsed = true;
    const rests = !isDue(slice.restsUntilMs, nowMs, MINUTE_MS);
    if (slice.requests > 0) {
      slice.requests--;
      // Draws the next slice in the background, before it is needed.
      if (!rests && slice.requests < this.#sizeOf(slice.budget) / 2) void this.#drawOnce(slice);
      return 0;
    }
    if (rests) return Math.ceil((slice.restsUntilMs - nowMs) / SECOND_MS);
    return this.#waitFor(slice);
  }

  take(projectId: string, budget: Budget, nowMs: number): number | Promise<number> {
    return this.#takeFrom(this.#sliceOf(projectId, budget), nowMs);
  }

  /** Waits until no draw is in flight; answers whether one was. Call it once no request takes from slices any more. */
  async drawsEnded(): Promise<boolean> {
    let was = false;
    for (;;) {
      const drawing = [...this.#slices.values()].flatMap((slice) => slice.drawing ?? []);
      if (drawing.length === 0) return was;
      was = true;
      await Promise.all(drawing);
    }
  }

  /** Empties slices, those without a request since the last call or all, and answers them as negative amounts of spending. */
  reclaim(which: "idle" | "all"): Spent[] {
    const unused: Spent[] = [];
    for (const [key, slice] of this.#slices) {
      const { projectId, budget, requests, isUsed, drawing } = slice;
      slice.isUsed = false;
      if (which === "idle" && (isUsed || drawing !== null)) continue;
      if (requests > 0) unused.push({ projectId, budget, parts: -requests * PARTS });
      slice.requests = 0;
      if (isDue(slice.restsUntilMs, this.#app.clock(), MINUTE_MS) && drawing === null)
        this.#slices.delete(key);
    }
    return unused;
  }
}

/**
 * Budgets of projects, shared by all serving processes. A single process counts in memory, exactly. Several processes draw slices of the
 * budget from the database, each a slice ahead of need: together they allow the budget within 10 %, with a statement per slice. A
 * process learns within a second that it is no longer alone; what it has allowed until then is counted.
 */
function createBudgets(app: App, limits: BudgetLimits): Budgets {
  const buckets = createBuckets(limits);
  const slices = new Slices(app, limits);
  const { hotPool } = app.database;
  const { clock, log } = app;
  let sharing: Promise<void> | null = null;

  /** Shares budgets with the present number of other processes. */
  async function shareWith(others: number): Promise<void> {
    const wasAlone = slices.processes === 1;
    if (others > 0) {
      slices.processes = others + 1;
      await recordSpending(hotPool, limits, wasAlone ? buckets.handOver(clock()) : slices.reclaim("idle"));
    } else if (!wasAlone) {
      await countAlone();
      // A draw that was in flight may have written its row after the rows were collected.
      if (await slices.drawsEnded()) await countAlone();
    }
  }

  /** Takes over what all processes have spent together, and counts in memory from then on. */
  async function countAlone(): Promise<void> {
    const shared = await collectBudgetsAcrossProjects(hotPool);
    slices.processes = 1;
    for (const spent of [...shared, ...slices.reclaim("all")]) buckets.add(spent, clock());
  }

  /** Skips a heartbeat while the one before is still handled, so that budgets make no heartbeat late. The next one has the number again. */
  function onHeartbeat(others: number): void {
    sharing ??= shareWith(others)
      .catch((cause: unknown) =>
        log.error({ err: cause }, "budgets could not be shared; it will be tried again"),
      )
      .finally(() => {
        sharing = null;
      });
  }

  let isServing = false;

  return {
    take: (projectId, budget, nowMs) =>
      (slices.processes === 1 ? buckets : slices).take(projectId, budget, nowMs),
    async join() {
      // An embedded database has one server.
      if (app.config.databaseUrl === null) return;
      isServing = true;
      await app.get(processes).startServing((others) => {
        if (isServing) onHeartbeat(others);
      });
      await sharing;
    },
    async leave() {
      if (!isServing) return;
      isServing = false;
      await sharing;
      try {
        await recordSpending(hotPool, limits, slices.reclaim("all"));
        await app.get(processes).stopServing();
      } catch (cause) {
        // The other processes will evict this one, as after a kill.
        log.warn({ err: cause }, "the other processes could not be told that this one ends");
      }
    },
  };
}

const nothing = async (): Promise<void> => undefined;
const UNLIMITED: Budgets = { take: () => 0, join: nothing, leave: nothing };

/** The budgets of this server. */
export const budgets = resource((app): Budgets => {
  const { rateLimits } = app.config;
  return rateLimits === "off" ? UNLIMITED : createBudgets(app, rateLimits);
});
