import type pg from "pg";
import type { Log } from "../log.ts";
import { type Database, type Db, kyselyOn } from "./db.ts";

/** A client of the pool knows which process of PostgreSQL serves it; its type does not say so. */
type Served = pg.PoolClient & { processID?: number };

/**
 * The pool of requests for one request: when `signal` is aborted, PostgreSQL cancels this request's statements, and no further ones
 * begin.
 */
export function stoppable({ pool, lookups }: Database, signal: AbortSignal, log: Log): Db {
  const taken = new Set<Served>();

  async function stop(): Promise<void> {
    const processes = [...taken].map(({ processID }) => processID);
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
      taken.add(client);
      // The pool gives a client a new `release` each time it is taken. A client whose statement is cancelled is closed: otherwise the
      // cancellation could reach the next statement on it, which belongs to another request.
      client.release = (destroy) => {
        taken.delete(client);
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
