import { SECOND_MS } from "../clock.ts";
import { processes } from "../processes.ts";
import { type App, resource } from "../runtime.ts";
import { type Budget, createBuckets, type Limits, limitOf, PARTS, type Spent } from "./budget.ts";
import { collectBudgetsAcrossProjects, drawBudget, settleBudgets } from "./budget-store.ts";

/** Takes one request from a project's budget; answers 0, or the whole seconds to wait. At once, wherever that can be. */
type TakeBudget = (projectId: string, budget: Budget, nowMs: number) => number | Promise<number>;

export type Budgets = {
  take: TakeBudget;
  /** From here on this process and the others that serve the database know of each other. */
  join(): Promise<void>;
  /** Gives back what was drawn and not used. */
  leave(): Promise<void>;
};

const BEAT_MS = SECOND_MS;
/** How long a process rests that was given less than it wanted: refusals cost no statement. */
const REST_MS = 100;
/** All slices together are a twentieth of the budget, and a process asks for the next when half of its own is spent. */
const SLICES = 20;

/** What a process drew of a project's budget and has not used. */
type Slice = {
  projectId: string;
  budget: Budget;
  requests: number;
  waiting: number;
  drawing: Promise<void> | null;
  restsUntilMs: number;
  /** Whether anybody asked since the last beat. */
  isAsked: boolean;
};

/** The slices of one process that shares its budgets with others. */
class Slices {
  readonly #app: App;
  readonly #limits: Limits;
  readonly #slices = new Map<string, Slice>();
  /** Processes that share, this one included. */
  processes = 1;

  constructor(app: App, limits: Limits) {
    this.#app = app;
    this.#limits = limits;
  }

  #sliceOf(projectId: string, budget: Budget): Slice {
    const key = `${budget} ${projectId}`;
    let slice = this.#slices.get(key);
    if (slice === undefined) {
      slice = {
        ...{ projectId, budget, requests: 0, waiting: 0 },
        ...{ drawing: null, restsUntilMs: 0, isAsked: true },
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
      // Who is let in meets the database next, and says what is the matter with it.
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
    slice.isAsked = true;
    const rests = nowMs < slice.restsUntilMs;
    if (slice.requests > 0) {
      slice.requests--;
      // Ahead of need, behind the back of who asks.
      if (!rests && slice.requests < this.#sizeOf(slice.budget) / 2) void this.#drawOnce(slice);
      return 0;
    }
    if (rests) return Math.ceil((slice.restsUntilMs - nowMs) / SECOND_MS);
    return this.#waitFor(slice);
  }

  take(projectId: string, budget: Budget, nowMs: number): number | Promise<number> {
    return this.#takeFrom(this.#sliceOf(projectId, budget), nowMs);
  }

  /** Takes back slices, those that nobody asked for since the last time or all; answers them as the opposite of spent. */
  takeBack(which: "idle" | "all"): Spent[] {
    const unused: Spent[] = [];
    for (const [key, slice] of this.#slices) {
      const { projectId, budget, requests, isAsked, drawing } = slice;
      slice.isAsked = false;
      if (which === "idle" && (isAsked || drawing !== null)) continue;
      if (requests > 0) unused.push({ projectId, budget, parts: -requests * PARTS });
      slice.requests = 0;
      if (this.#app.clock() >= slice.restsUntilMs && drawing === null) this.#slices.delete(key);
    }
    return unused;
  }
}

/**
 * Budgets of a project, whoever serves it. A process alone counts in memory, exactly. Several draw slices of what one would
 * allow from the database, a slice ahead of need: together they allow within 10 % of it, with a statement per slice. A process
 * notices within a second that it is no longer alone; what it had allowed by then is counted.
 */
function createBudgets(app: App, limits: Limits): Budgets {
  const buckets = createBuckets(limits);
  const slices = new Slices(app, limits);
  const { hotPool } = app.database;
  const { clock, log } = app;
  let sharing: Promise<void> | null = null;

  /** Shares with as many others as there are now. */
  async function shareWith(others: number): Promise<void> {
    const wasAlone = slices.processes === 1;
    if (others > 0) {
      slices.processes = others + 1;
      await settleBudgets(hotPool, limits, wasAlone ? buckets.handOver(clock()) : slices.takeBack("idle"));
    } else if (!wasAlone) {
      const shared = await collectBudgetsAcrossProjects(hotPool);
      slices.processes = 1;
      for (const spent of [...shared, ...slices.takeBack("all")]) buckets.add(spent, clock());
    }
  }

  /** What is under way is not waited for: no heartbeat is late because of budgets. The next one tells anew. */
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
        await settleBudgets(hotPool, limits, slices.takeBack("all"));
        await app.get(processes).stopServing();
      } catch (cause) {
        // As after a kill: the others notice by themselves.
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
