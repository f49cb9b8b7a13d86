import type pg from "pg";
import { type Access, type Connection, type Database, kyselyOn } from "../db.ts";

/** How a transaction begins and ends, as the query builder and `inTransaction` say it. */
const BEGINS = /^(begin|start transaction)\b/i;
const COMMITS = /^commit\b/i;
const ROLLS_BACK = /^rollback$/i;

type Statement = string | { text: string };
const textOf = (statement: Statement): string => (typeof statement === "string" ? statement : statement.text);

/** Statements of a connection, one after the other: the driver wants the next one when the last has ended. */
function oneByOne(client: Connection): (...given: unknown[]) => Promise<unknown> {
  // The driver overloads this function more often than a wrapper can say.
  const query = (client.query as (...given: unknown[]) => Promise<unknown>).bind(client);
  let last: Promise<unknown> = Promise.resolve();
  return (...given) => {
    const mine = last.then(() => query(...given));
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Turns: one holder at a time, the others wait in their order. */
function turns(): () => Promise<() => void> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}

/**
 * A pool whose every connection is the same one, inside a transaction that its maker ends. What begins a transaction there sets a
 * savepoint, one at a time; a statement without one runs at once.
 */
function poolOn(client: Connection): pg.Pool {
  const takeTurn = turns();
  const run = oneByOne(client);
  let savepoints = 0;

  function connect(): Connection {
    let open: { name: string; end: () => void } | null = null;

    async function query(statement: Statement, ...values: unknown[]): Promise<unknown> {
      const text = textOf(statement);
      if (BEGINS.test(text)) {
        const end = await takeTurn();
        open = { name: `part_${savepoints++}`, end };
        return run(`savepoint ${open.name}`);
      }
      if (open !== null && (COMMITS.test(text) || ROLLS_BACK.test(text))) {
        const { name, end } = open;
        open = null;
        try {
          if (ROLLS_BACK.test(text)) await run(`rollback to savepoint ${name}`);
          return await run(`release savepoint ${name}`);
        } finally {
          end();
        }
      }
      return run(statement, ...values);
    }

    // Of a connection, the house uses these two.
    return { query, release: () => undefined } as unknown as Connection;
  }

  const shared = {
    options: { max: 1 },
    waitingCount: 0,
    connect: async () => connect(),
    query: (statement: Statement, ...values: unknown[]) =>
      (connect().query as (...given: unknown[]) => Promise<unknown>)(statement, ...values),
    end: async () => undefined,
  };
  // Of a pool, the house uses these.
  return shared as unknown as pg.Pool;
}

/**
 * Runs `act` on a database that is one transaction: other connections see nothing of what it writes before all of it is committed, and
 * nothing is left of it when it fails, or when its process is killed. `act` must not keep the database, and must have awaited whatever it
 * began. Two transactions that `act` opens follow each other; one that opens a second inside of itself waits for ever.
 */
export async function inOneTransaction<T>(
  { background }: Database,
  act: (database: Database, client: Connection) => Promise<T>,
): Promise<T> {
  const client = await background.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const pool = poolOn(client);
    const access: Access = { kysely: kyselyOn(pool), pool };
    const database: Database = {
      ...access,
      hotPool: pool,
      lookups: access,
      background: access,
      people: pool,
      connectAlone() {
        throw new Error("What is one transaction has no further connection.");
      },
      settings: [],
      close: async () => undefined,
    };
    const result = await act(database, client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
