import { type Embedded, startEmbedded } from "../../src/platform/db/embedded/embedded.ts";
import { createLog } from "../../src/platform/log.ts";
import { migratedDataDir } from "../commands/spawned.ts";
import { killHard, postgresOf, postmasterOf } from "../crash/processes.ts";

/** A PostgreSQL that several processes share as if it were an operator's own, and that is stopped under them. */
export type SharedPostgres = {
  /** As DATABASE_URL. */
  url: string;
  start(): Promise<void>;
  /** As `pg_ctl stop` does: `fast` closes every connection and writes a checkpoint, `immediate` leaves recovery to the next start. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Stops every process of it where it stands, or lets them go on. */
  freeze(): void;
  thaw(): void;
};

/** Starts one, with everything as durable as the embedded one is. */
export async function startSharedPostgres(): Promise<SharedPostgres> {
  const dataDir = await migratedDataDir();
  let running: Embedded | null = null;
  let frozen: number[] = [];
  const signal = (pids: readonly number[], name: "SIGSTOP" | "SIGCONT"): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // A backend that has ended in between.
      }
    }
  };
  async function start(): Promise<void> {
    running = await startEmbedded(dataDir, createLog("fatal"), { settings: { max_connections: "200" } });
    if (running === null) throw new Error("The folder of the shared PostgreSQL is in use.");
  }
  await start();
  const address = (running as Embedded | null)?.address;
  if (address === undefined || !("host" in address)) throw new Error("It has no socket.");
  return {
    url: `postgres://${address.user}@${encodeURIComponent(address.host)}/${address.database}`,
    start,
    async stop(mode) {
      const pid = postmasterOf(dataDir);
      const stopping = running?.stop();
      // `running.stop` has asked for a fast end already; SIGQUIT makes it an immediate one, for which the same promise waits.
      if (mode === "immediate" && pid !== null) process.kill(pid, "SIGQUIT");
      await stopping;
      for (const left of postgresOf(dataDir)) killHard(left);
    },
    freeze() {
      frozen = postgresOf(dataDir);
      signal(frozen, "SIGSTOP");
    },
    thaw: () => signal(frozen, "SIGCONT"),
  };
}
