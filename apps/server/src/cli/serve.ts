import { leaveBackups } from "../features/backups/public.ts";
import { connectServer } from "../platform/cli/connect.ts";
import type { Config } from "../platform/config.ts";
import { hasEmbedded } from "../platform/db/embedded/place.ts";
import type { Log } from "../platform/log.ts";
import { createSecrets, loadSecretKey } from "../platform/secrets/secrets.ts";
import { tryAddress } from "./listening.ts";
import { withSignals } from "./signals.ts";

/** Runs the server until SIGTERM or SIGINT, then drains: stop accepting, finish, close the database. */
export async function serve(config: Config, log: Log): Promise<void> {
  const stopRequest = Promise.withResolvers<string>();
  // A signal may come while the server starts: what was started by then is stopped in order. A start that was refused leaves nothing to stop.
  await withSignals(stopRequest.resolve, () => serveUntil(stopRequest.promise, config, log));
}

async function serveUntil(stopRequest: Promise<string>, config: Config, log: Log): Promise<void> {
  if (config.roles.includes("api")) await tryAddress(config);
  const secrets = createSecrets(loadSecretKey(config));
  if (config.databaseUrl === null && !hasEmbedded(config.dataDir))
    console.log(`Making the database in ${config.dataDir}: that takes some seconds, this once.`);
  if (config.databaseUrl === null) await leaveBackups(config.dataDir);
  const launch = Promise.withResolvers<void>();
  const connecting = connectServer(config, log, launch.resolve);
  await Promise.race([launch.promise, connecting]);
  try {
    // Most of the program is loaded here: that takes as long as PostgreSQL takes to start.
    const { runServer } = await import("./run-server.ts");
    await runServer(stopRequest, { config, database: (await connecting).database, log, secrets });
  } finally {
    const { embedded } = await connecting;
    await embedded?.stop();
  }
  // All work is written. Connections to mail servers that are kept for a next message are not waited for.
  process.exit();
}
