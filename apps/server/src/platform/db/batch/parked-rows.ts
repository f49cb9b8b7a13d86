import { setTimeout as sleep } from "node:timers/promises";

/** Rows that have waited this long are refused. Longer than PostgreSQL lets a suspended process keep a lock (`db.ts`). */
export const PATIENCE_MS = 22_000;
/** The most rows that one pipeline parks; further ones are refused at once. */
const MAX_PARKED = 2_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** A row, and the caller that waits for its result. */
export type WaitingRow<Row, Result> = {
  row: Row;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** Answers the callers of a statement. */
export type AnswerCallers = () => void;

/** The result of a statement that gave up waiting for a lock: nothing of it was written. */
export class Locked {
  readonly cause: unknown;
  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** Rows that are tried as one statement. */
type Bundle<Row, Result> = {
  rows: readonly WaitingRow<Row, Result>[];
  /** When it may be tried next, and when its rows are refused, in milliseconds of `performance.now()`. */
  notBefore: number;
  refusedAt: number;
  pauseMs: number;
  cause: unknown;
};

export type ParkedRows<Row, Result> = {
  /** Takes the rows of a statement that gave up waiting for a lock. */
  park(rows: readonly WaitingRow<Row, Result>[], cause: unknown): void;
  /** Takes a row and answers true where an earlier row of the same user is parked, before which it must not be written. */
  takes(waiting: WaitingRow<Row, Result>): boolean;
  readonly size: number;
  /** Resolves when nothing is parked. */
  idle(): Promise<void>;
};

/**
 * The slow lane of a pipeline. A statement that waits for a lock is given up soon, and its rows come here, so that the pipeline goes
 * on with other rows. Here they are halved until the locked rows are alone, and these are tried again now and then, one statement at
 * a time, so that they never use more than one connection. Rows of one user stay together, and later rows of a parked user queue
 * behind them, so that their order is kept.
 * @param attempt writes rows in one statement
 * @param userOf rows with the same answer wait for the same locks
 * @param keyOf rows with the same key never share a statement
 */
export function createParkedRows<Row, Result>({
  attempt,
  userOf,
  keyOf,
  patienceMs = PATIENCE_MS,
}: {
  attempt: (rows: readonly WaitingRow<Row, Result>[]) => Promise<AnswerCallers | Locked>;
  userOf: (row: Row) => string;
  keyOf?: ((row: Row) => string) | undefined;
  patienceMs?: number | undefined;
}): ParkedRows<Row, Result> {
  let bundles: Bundle<Row, Result>[] = [];
  /** By parked user: the rows that came after those that are tried. */
  const behind = new Map<string, WaitingRow<Row, Result>[]>();
  let size = 0;
  let working = false;
  let idlers: (() => void)[] = [];

  const usersOf = (rows: readonly WaitingRow<Row, Result>[]): Map<string, WaitingRow<Row, Result>[]> =>
    Map.groupBy(rows, ({ row }) => userOf(row));

  const refuse = (rows: readonly WaitingRow<Row, Result>[], cause: unknown): void => {
    for (const { reject } of rows) reject(cause);
  };

  function park(rows: readonly WaitingRow<Row, Result>[], cause: unknown): void {
    if (size + rows.length > MAX_PARKED) {
      refuse(rows, cause);
      return;
    }
    const now = performance.now();
    for (const user of usersOf(rows).keys()) if (!behind.has(user)) behind.set(user, []);
    size += rows.length;
    const times = { notBefore: now, refusedAt: now + patienceMs, pauseMs: FIRST_PAUSE_MS };
    bundles.push({ rows, ...times, cause });
    if (!working) void work();
  }

  function takes(waiting: WaitingRow<Row, Result>): boolean {
    const others = behind.get(userOf(waiting.row));
    if (others === undefined) return false;
    if (size >= MAX_PARKED) {
      refuse([waiting], bundles[0]?.cause);
      return true;
    }
    size++;
    others.push(waiting);
    return true;
  }

  /** Ends a bundle. The rows that queued behind its users are tried next, as many as one statement may have. */
  function finish({ rows, cause }: Bundle<Row, Result>): void {
    size -= rows.length;
    const next: WaitingRow<Row, Result>[] = [];
    for (const user of usersOf(rows).keys()) {
      const others = behind.get(user) ?? [];
      if (others.length === 0) {
        behind.delete(user);
        continue;
      }
      const keys = new Set<string>();
      let count = 0;
      for (const { row } of others) {
        const key = keyOf?.(row);
        if (key !== undefined && keys.has(key)) break;
        if (key !== undefined) keys.add(key);
        count++;
      }
      next.push(...others.splice(0, count));
    }
    if (next.length === 0) return;
    const now = performance.now();
    const times = { notBefore: now, refusedAt: now + patienceMs, pauseMs: FIRST_PAUSE_MS };
    bundles.unshift({ rows: next, ...times, cause });
  }

  /** Halves a bundle of several users; a bundle of one user waits. */
  function divide(bundle: Bundle<Row, Result>): void {
    const users = [...usersOf(bundle.rows).values()];
    if (users.length > 1) {
      const middle = Math.ceil(users.length / 2);
      const halves = [users.slice(0, middle), users.slice(middle)];
      bundles.unshift(...halves.map((half) => ({ ...bundle, rows: half.flat() })));
      return;
    }
    const pauseMs = Math.min(bundle.pauseMs * 2, LONGEST_PAUSE_MS);
    bundles.push({ ...bundle, notBefore: performance.now() + bundle.pauseMs, pauseMs });
  }

  async function turn(): Promise<void> {
    const now = performance.now();
    for (const overdue of bundles.filter(({ refusedAt }) => refusedAt <= now)) {
      bundles = bundles.filter((bundle) => bundle !== overdue);
      refuse(overdue.rows, overdue.cause);
      finish(overdue);
    }
    const bundle = bundles.find(({ notBefore }) => notBefore <= now);
    if (bundle === undefined) {
      const earliest = Math.min(...bundles.map(({ notBefore, refusedAt }) => Math.min(notBefore, refusedAt)));
      if (bundles.length > 0) await sleep(Math.max(1, earliest - now));
      return;
    }
    bundles = bundles.filter((each) => each !== bundle);
    const tried = await attempt(bundle.rows);
    if (tried instanceof Locked) return divide({ ...bundle, cause: tried.cause });
    tried();
    finish(bundle);
  }

  async function work(): Promise<void> {
    working = true;
    while (bundles.length > 0) await turn();
    working = false;
    const done = idlers;
    idlers = [];
    for (const resolve of done) resolve();
  }

  return {
    park,
    takes,
    get size() {
      return size;
    },
    idle: () =>
      working
        ? new Promise((resolve) => {
            idlers.push(resolve);
          })
        : Promise.resolve(),
  };
}
