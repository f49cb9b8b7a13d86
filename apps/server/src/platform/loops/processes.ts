import type { Db } from "../db/db.ts";
import { type App, resource } from "../runtime.ts";
import { SECOND_MS } from "../time/clock.ts";
import { type ClockReading, clockStep, clockWatch } from "../time/clock-watch.ts";
import { newUuid } from "../uuid.ts";
import { rouse } from "./changes.ts";
import { loop, type RunningLoops, startLoops, wake } from "./loops.ts";
import {
  countWorking,
  type ListedProcesses,
  type RolesThere,
  readRoles,
  removeProcess,
  writeHeartbeat,
} from "./processes-store.ts";

const HEARTBEAT_MS = 3 * SECOND_MS;
/** Where the database belongs to this process alone, only its own pages read them. */
const ALONE_HEARTBEAT_MS = 5 * SECOND_MS;
/** Servers share budgets of requests, so each must learn within a second that there is another one. */
const SERVER_HEARTBEAT_MS = SECOND_MS;
/** A server without a heartbeat for so long has no share of the budgets. */
const SERVER_FOR_MS = 5 * SECOND_MS;
/** A process whose last heartbeat is so old is stale: the others evict it. */
export const STALE_MS = 15 * SECOND_MS;
/** A process that wrote no heartbeat for so long stops trusting in its leases, before others evict it. */
const TRUST_MS = 10 * SECOND_MS;
/** So far off its course the database's clock may be: a statement that waits for its turn is later than it was sent. */
const CLOCK_ERROR_MS = 5 * SECOND_MS;

/** Called with the number of other servers, after each heartbeat. */
type OnHeartbeat = (otherServers: number) => void;

/**
 * This process among those on the same database. Each writes a heartbeat every few seconds. A stale process (killed, stopped, cut off)
 * is evicted by the others, which ends its leases. If it wakes up later, it goes on under a new lease owner, and sends nothing under
 * the old one.
 */
export type Processes = {
  /** The owner of the leases that this process takes now. */
  leaseOwner(): string;
  /** Whether leases of an owner are still this process', as far as it can know. To be called before the first byte of a message leaves. */
  ownsLease(leaseOwner: string): boolean;
  /**
   * The lease owner of this process, where it may reap the leases of every process that is not on the list. Null where it may not: its
   * own heartbeats have a gap, or are too few to tell; then leases end by their time alone.
   */
  reapable(): string | null;
  /** To be awaited before the first lease. */
  startWorking(): Promise<void>;
  /** Says that this process looks after campaigns, until it leaves or stops to. */
  startLookingAfter(): Promise<void>;
  stopLookingAfter(): Promise<void>;
  startServing(onHeartbeat: OnHeartbeat): Promise<void>;
  stopServing(): Promise<void>;
  /** Takes this process off the list, which ends the leases that it still has. */
  leave(): Promise<void>;
};

/** Between which instants the database's clock is at `now` and within the patience of a statement, if it was not set since (ms). */
const expectedAt = ({ at, from, to }: ClockReading, now: number): [number, number] => [
  at + (now - to) - CLOCK_ERROR_MS,
  at + (now - from) + CLOCK_ERROR_MS,
];

function createProcesses(app: App): Processes {
  const { config, clock, database, log } = app;
  // The embedded database belongs to one process: no other one can be alive, and none evicts this one.
  const isAlone = config.databaseUrl === null;
  let leaseOwner = newUuid(clock());
  // The first heartbeat since the last gap, and the last one, by a steady clock, which goes on while a process is stopped.
  let seen: { since: number; last: number; database: ClockReading } | null = null;
  let works = false;
  let looksAfter = false;
  let onHeartbeat: OnHeartbeat | null = null;
  let heartbeats: RunningLoops | null = null;
  let writing: Promise<void> = Promise.resolve();

  const isTrusted = (now: number): boolean => isAlone || seen === null || now - seen.last < TRUST_MS;

  /** After our own outage, or just after start, evict no process for 15 s: the others may have lost the database too. */
  function evictAfterMs(now: number, since: number): number | null {
    if (isAlone) return 0;
    return now - since < STALE_MS ? null : STALE_MS;
  }

  async function write(): Promise<ListedProcesses> {
    const now = performance.now();
    const hadGap = !isTrusted(now);
    const next = hadGap ? newUuid(clock()) : leaseOwner;
    const since = hadGap ? now : (seen?.since ?? now);
    const before = seen?.database ?? null;
    const listed = await writeHeartbeat(
      database.hotPool,
      { leaseOwner: next, serves: onHeartbeat !== null, works, looksAfter },
      {
        evictAfterMs: evictAfterMs(now, since),
        serverForMs: SERVER_FOR_MS,
        expectedAt: isAlone || before === null ? null : expectedAt(before, now),
      },
    );
    const read = { at: listed.databaseAt, from: now, to: performance.now() };
    const wasSet = before !== null && clockStep(before, read) !== 0;
    if (hadGap) log.warn("this process wrote no heartbeat for a while; it goes on under a new lease owner");
    if (wasSet)
      log.warn("the database's clock was set; no process is evicted until all have written heartbeats by it");
    leaseOwner = next;
    seen = { since: wasSet ? now : since, last: now, database: read };
    app.get(clockWatch).look(read);
    return listed;
  }

  async function writeAndTell(): Promise<void> {
    const { evicted, otherServers } = await write();
    if (evicted > 0 && !isAlone) {
      log.warn({ evicted }, "stale processes were evicted; their leases are over");
      rouse(app);
    }
    onHeartbeat?.(otherServers);
  }

  /** Writes one heartbeat after the other, never two at once. */
  function beat(): Promise<void> {
    writing = writing.catch(() => undefined).then(writeAndTell);
    return writing;
  }

  const heartbeat = loop({
    name: "heartbeat",
    restMs: () => (isAlone ? ALONE_HEARTBEAT_MS : onHeartbeat === null ? HEARTBEAT_MS : SERVER_HEARTBEAT_MS),
    nextAt: app.clock,
    async turn() {
      await beat();
      return false;
    },
  });

  /** Writes a heartbeat with what this process does now, and repeats it: every second if it serves, else less often. */
  async function start(): Promise<void> {
    await beat();
    if (heartbeats === null) heartbeats = startLoops(app, [heartbeat]);
    else wake(app, heartbeat);
  }

  async function leave(): Promise<void> {
    if (heartbeats === null) return;
    await heartbeats.stop();
    heartbeats = null;
    await removeProcess(database.hotPool, leaseOwner).catch((cause: unknown) =>
      // The other processes will evict this one, as after a kill.
      log.warn({ err: cause }, "the other processes could not be told that this one ends"),
    );
  }

  /** Tells of what this process does less, or takes it off the list where nothing is left. */
  const goOnOrLeave = (): Promise<void> => (works || looksAfter || onHeartbeat !== null ? beat() : leave());

  return {
    leaseOwner: () => leaseOwner,
    ownsLease: (owner) => owner === leaseOwner && isTrusted(performance.now()),
    reapable: () =>
      isAlone || (seen !== null && seen.last - seen.since >= STALE_MS && isTrusted(performance.now()))
        ? leaseOwner
        : null,
    startWorking() {
      works = true;
      return start();
    },
    startLookingAfter() {
      looksAfter = true;
      return start();
    },
    stopLookingAfter() {
      looksAfter = false;
      return goOnOrLeave();
    },
    startServing(tell) {
      onHeartbeat = tell;
      return start();
    },
    stopServing() {
      onHeartbeat = null;
      return goOnOrLeave();
    },
    leave,
  };
}

export const processes = resource(createProcesses);

/**
 * Which roles some process has now. What a page promises to happen by itself happens only where a process has the role for it, so pages
 * ask this before they promise.
 */
export const rolesThere = (db: Db): Promise<RolesThere> => readRoles(db, STALE_MS);

/** The number of processes that work on the same database, and the clock of this one. */
export const processMetrics = resource((app) => {
  const { metrics, database } = app;
  metrics.gauges({ tidings_workers: "Processes that work: plan, send, keep house." }, async () => ({
    tidings_workers: await countWorking(database.pool, STALE_MS),
  }));
  metrics.gauge(
    "tidings_clock_ahead_seconds",
    "By how much the clock of this process is ahead of the database's.",
    () => (app.get(clockWatch).aheadMs() ?? 0) / SECOND_MS,
  );
});
