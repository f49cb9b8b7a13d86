import type pg from "pg";
import type { Log } from "../log.ts";
import { type Database, type Db, kyselyOn } from "./db.ts";

/** A client of the pool knows which process of PostgreSQL serves it; its type does not say so. */
type Served = pg.PoolClient & { processID?: number };

/**
 * The pool of requests as one of them sees it: when `signal` is aborted, PostgreSQL is told to stop what it does for that request, and
 * nothing more is begun.
 */
export function stoppable({ pool, lookups }: Database, signal: AbortSignal, log: Log): Db {
  const held = new Set<Served>();

  async function stop(): Promise<void> {
    const processes = [...held].map(({ processID }) => processID);
    if (processes.length === 0) return;
    await lookups.pool.query("select pg_cancel_backend(pid) from unnest($1::int4[]) pid", [processes]);
  }

  signal.addEventListener("abort", () => {
    stop().catch((cause: unknown) => log.warn({ err: cause }, "a statement could not be stopped"));
  });
  return kyselyOn({
    options: pool.options,
    end: async () => undefined,
    async connect() {
      signal.throwIfAborted();
      const client: Served = await pool.connect();
      const release = client.release.bind(client);
      held.add(client);
      // The pool gives a client a new `release` each time it is taken. One that is being stopped is closed: else the order to stop could
      // reach the next statement on it, which is somebody else's.
      client.release = (destroy) => {
        held.delete(client);
        release(signal.aborted || destroy);
      };
      if (signal.aborted) {
        client.release();
        signal.throwIfAborted();
      }
      return client;
    },
  });
}
