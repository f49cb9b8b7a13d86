import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool, type Transaction } from "kysely";
import pg from "pg";
import { defaultLimits, type Limits } from "../limits.ts";
import type { Log } from "../log.ts";
import { BoundedPool, Overloaded } from "./bounded-pool.ts";
import { withoutOptions } from "./external/address.ts";
import type { DB } from "./generated/tables.ts";
import { replanAsTablesGrow } from "./replanning.ts";

// int8 carries epoch milliseconds and counters: both stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Tables = DB;
/** A database handle or a transaction: what every store function takes first. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
/** A connection in a transaction, for prepared statements. */
export type Connection = pg.PoolClient;

/** A pool, and the query builder on it. */
export type Access = { kysely: Db; pool: pg.Pool };

export type Database = Access & {
  /** Connections of the group commits alone, so that ingest never waits for a slow read. */
  hotPool: pg.Pool;
  /**
   * For what every request needs first: keys, the gate, configurations, readiness. Small statements on connections of their own, so that
   * they wait neither for slow reads nor for a hot statement that waits for a lock.
   */
  lookups: Access;
  /** Work outside of requests (loops, migrations, the doctor): its statements may take as long as they need. */
  background: Access;
  /** For the sign-in of people, whose library reads and writes its own tables: those of the schema `people`. */
  people: pg.Pool;
  /** A connection outside of all pools that is not made yet, for one who keeps it. The caller ends it. */
  connectAlone(name: string): pg.Client;
  /** The settings that connections of each pool ask for when they begin, by the name of the pool. */
  settings: readonly PoolSettings[];
  close(): Promise<void>;
};

/** Where PostgreSQL listens: a connection string, or the folder of a unix socket. */
export type DatabaseAddress =
  | { connectionString: string }
  | { host: string; port?: number; user: string; database: string };

/** What connections of a pool are set to, as `pg_settings` writes it: milliseconds and kilobytes as plain numbers. */
export type PoolSettings = { name: string; pool: pg.Pool; wanted: Readonly<Record<string, string>> };

/** PostgreSQL ends transactions that are idle for so long: a suspended process must not keep its locks, for which others wait. */
const UNATTENDED = { idle_in_transaction_session_timeout: "20000" };

/**
 * How long a statement of a group commit waits for a lock. Then it is given up, and only the locked rows go on waiting
 * (`parked-rows.ts`). Most transactions lock a row for a few milliseconds; a rare longer one must not stop all other rows.
 */
const LOCK_WAIT_MS = 100;

type Sizes = { pool: number; hotPool: number };
const SERVER_SIZES: Sizes = { pool: 8, hotPool: 6 };
const LOOKUP_CONNECTIONS = 2;
const PEOPLE_CONNECTIONS = 2;
/** A look-up that waits this long is given up: the request uses remembered values, or is answered with 503. */
const LOOKUP_WAIT_MS = 5_000;
const WAIT_MS = 10_000;

type Ceilings = Pick<Limits, "requestStatementMs" | "hotStatementMs" | "waitingForConnection">;

/**
 * Opens the pools. Nothing is connected until the first statement.
 * @param ceilings how long statements of requests may take, and how many may wait for a connection; null for a command, whose
 *   statements may take as long as they need
 * @param lockWaitMs how long a statement of a group commit waits for a lock
 */
export function openDatabase(
  address: DatabaseAddress,
  log: Log,
  {
    sizes = SERVER_SIZES,
    ceilings = defaultLimits,
    lockWaitMs = LOCK_WAIT_MS,
  }: { sizes?: Sizes; ceilings?: Ceilings | null; lockWaitMs?: number } = {},
): Database {
  let closing = false;
  const settings: PoolSettings[] = [];
  const { options: theirs, ...place } =
    "connectionString" in address ? withoutOptions(address.connectionString) : { ...address, options: "" };
  const open = (
    max: number,
    name: string,
    {
      set = {},
      statementMs = 0,
      waitMs = WAIT_MS,
      mostWaiting = Number.POSITIVE_INFINITY,
    }: { set?: Record<string, string>; statementMs?: number; waitMs?: number; mostWaiting?: number },
  ): pg.Pool => {
    // 0 means that there is no statement timeout.
    const wanted = { ...set, ...UNATTENDED, statement_timeout: String(statementMs) };
    const ours = Object.entries(wanted).map(([key, value]) => `-c ${key}=${value}`);
    const made = new BoundedPool(
      {
        ...place,
        max,
        application_name: name,
        // Of a setting that stands there twice the last one counts.
        options: [theirs, ...ours].join(" ").trim(),
        connectionTimeoutMillis: waitMs,
      },
      mostWaiting,
    );
    settings.push({ name, pool: made, wanted });
    // A connection that breaks is replaced by the pool; without a listener it would end the process.
    // The error contains the whole client, password included, so only its message is logged.
    const lost = ({ message }: Error): void => {
      if (!closing) log.warn({ reason: message }, "a database connection was lost");
    };
    made.on("error", lost);
    made.on("connect", (client) => client.on("error", lost));
    return made;
  };
  const access = (pool: pg.Pool): Access => ({ kysely: kyselyOn(pool), pool });
  const mostWaiting = ceilings?.waitingForConnection ?? Number.POSITIVE_INFINITY;
  // An audience's alternatives are sets of users, each hashed once if it fits into twice this, and else looked up user by user
  // (300,000 users, one of two sets with about 200,000: 0.3 s against 1.0 s).
  const roomy = { work_mem: "32768" };
  const pool = open(sizes.pool, "tidings", {
    set: roomy,
    statementMs: ceilings?.requestStatementMs ?? 0,
    mostWaiting,
  });
  const background = open(sizes.pool, "tidings background", { set: roomy });
  const hotMs = ceilings?.hotStatementMs ?? 0;
  // A hot statement is an index descent per row, planned once for tables of a size: no plan that reads a table as a whole, or all that an index has of a queue.
  const hotPool = open(sizes.hotPool, "tidings hot", {
    set: {
      enable_seqscan: "off",
      enable_bitmapscan: "off",
      plan_cache_mode: "force_generic_plan",
      lock_timeout: String(lockWaitMs),
    },
    statementMs: hotMs,
    mostWaiting,
  });
  const lookups = open(LOOKUP_CONNECTIONS, "tidings look-ups", {
    statementMs: hotMs,
    waitMs: LOOKUP_WAIT_MS,
    mostWaiting,
  });
  replanAsTablesGrow(hotPool, background);
  const people = open(PEOPLE_CONNECTIONS, "tidings people", {
    statementMs: ceilings?.requestStatementMs ?? 0,
    mostWaiting,
  });
  return {
    ...access(pool),
    hotPool,
    people,
    lookups: access(lookups),
    background: access(background),
    connectAlone: (name) =>
      new pg.Client({
        ...place,
        application_name: name,
        ...(theirs !== "" && { options: theirs }),
        keepAlive: true,
        connectionTimeoutMillis: WAIT_MS,
      }),
    settings,
    async close() {
      closing = true;
      // Kysely ends its pool only if it has run a statement.
      await Promise.all([pool, hotPool, lookups, background, people].map((each) => each.end()));
    },
  };
}

/** The query builder on connections of a pool, or of an object that hands them out like one. */
export const kyselyOn = (pool: PostgresPool): Db =>
  new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });

/** The query builder for a library with tables of its own: under the names that it has for them, in a schema of their own. */
export const kyselyOfLibrary = (pool: PostgresPool, schema: string): Kysely<unknown> =>
  new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }).withSchema(schema);

const MAX_TRIES = 5;

/** How long a transaction waits for locks: without end, or only as long as the pool's setting says. */
const BEGIN = { patient: "begin; set local lock_timeout = 0", brief: "begin" } as const;
export type LockWait = keyof typeof BEGIN;

/**
 * Several prepared statements as one transaction, which is repeated if it lost a race for rows.
 * @param wait `brief` for a caller that must not keep a connection: soon fails with `isLocked` where another transaction has a lock
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  act: (client: Connection) => Promise<T>,
  wait: LockWait = "patient",
  tries = 1,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(BEGIN[wait]);
    const result = await act(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((cause: Error) => {
      broken = cause;
    });
    if (!isContention(error) || tries >= MAX_TRIES) throw error;
  } finally {
    client.release(broken);
  }
  return inTransaction(pool, act, wait, tries + 1);
}

/** SQLSTATE of a PostgreSQL error, or null for anything else. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError && error.code !== undefined ? error.code : null;
}

/** Whether an error says that a statement lost a race for rows and may simply be run again. */
export const isContention = (error: unknown): boolean => {
  const state = sqlState(error);
  return state === SQLSTATE.deadlockDetected || state === SQLSTATE.serializationFailure;
};

/** Whether PostgreSQL stopped a statement because it took too long, or because its client is gone. Nothing was written. */
export const isStopped = (error: unknown): boolean => sqlState(error) === SQLSTATE.queryCanceled;
/** Whether an error says that a statement gave up waiting for a lock: nothing was written, and it may be run again later. */
export const isLocked = (error: unknown): boolean => sqlState(error) === SQLSTATE.lockNotAvailable;

/** Whether an error says that the database cannot be reached now: the request is not at fault, and may be tried again. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof Overloaded) return true;
  const state = sqlState(error);
  // Connection exceptions, insufficient resources, operator intervention (PostgreSQL, appendix A).
  if (state !== null) return /^(08|53|57)/.test(state);
  return /ECONN|ENOENT|EPIPE|terminated|not queryable|timeout exceeded when trying to connect/.test(
    String(error),
  );
}

export const SQLSTATE = {
  uniqueViolation: "23505",
  foreignKeyViolation: "23503",
  serializationFailure: "40001",
  deadlockDetected: "40P01",
  lockNotAvailable: "55P03",
  undefinedTable: "42P01",
  duplicateTable: "42P07",
  noSuchStatement: "26000",
  queryCanceled: "57014",
  /** Of our own: a row would be written under the key of a visitor who has become a user. */
  linked: "TI001",
} as const;
