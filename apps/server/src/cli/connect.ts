import { type Config, ConfigError } from "../platform/config.ts";
import { type Database, type DatabaseAddress, openDatabase } from "../platform/db/db.ts";
import { type Embedded, embeddedAddress, startEmbedded } from "../platform/db/embedded.ts";
import { migrate, pendingMigrations } from "../platform/db/migrate.ts";
import type { Log } from "../platform/log.ts";

export type Connection = {
  database: Database;
  /** The embedded PostgreSQL that this process started, or null when it is somebody else's. */
  embedded: Embedded | null;
  close(): Promise<void>;
};

const connection = (
  address: DatabaseAddress,
  embedded: Embedded | null,
  log: Log,
  sizes?: { pool: number; hotPool: number },
): Connection => {
  const database = openDatabase(address, log, sizes);
  return {
    database,
    embedded,
    async close() {
      await database.close();
      await embedded?.stop();
    },
  };
};

/** For the server: its own PostgreSQL, started and migrated, or the operator's, which must be up to date. */
export async function connectServer(config: Config, log: Log): Promise<Connection> {
  if (config.databaseUrl === null) {
    const embedded = await startEmbedded(config.dataDir, log);
    if (embedded === null)
      throw new ConfigError(`Another Tidings server is running on DATA_DIR ${config.dataDir}.`);
    const own = connection(embedded.address, embedded, log);
    await migrate(own.database.pool);
    return own;
  }
  const theirs = connection({ connectionString: config.databaseUrl }, null, log);
  if (config.autoMigrate) await migrate(theirs.database.pool);
  const pending = await pendingMigrations(theirs.database.pool);
  if (pending.length > 0) {
    await theirs.close();
    throw new ConfigError(
      `The database lacks ${pending.join(", ")}: run "npm run tidings migrate", or set AUTO_MIGRATE=1.`,
    );
  }
  return theirs;
}

/** For the other commands: beside a running server, or with the embedded PostgreSQL for as long as the command takes. */
export async function connectCommand(config: Config, log: Log): Promise<Connection> {
  const sizes = { pool: 3, hotPool: 1 };
  if (config.databaseUrl !== null)
    return connection({ connectionString: config.databaseUrl }, null, log, sizes);
  const embedded = await startEmbedded(config.dataDir, log);
  const opened = connection(embedded?.address ?? embeddedAddress(config.dataDir), embedded, log, sizes);
  if (embedded !== null) await migrate(opened.database.pool);
  return opened;
}
