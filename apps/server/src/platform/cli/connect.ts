import { setTimeout as sleep } from "node:timers/promises";
import { type Config, ConfigError } from "../config.ts";
import { type Database, type DatabaseAddress, openDatabase } from "../db/db.ts";
import { type Embedded, startEmbedded } from "../db/embedded/embedded.ts";
import { requireNotMoved } from "../db/embedded/moved.ts";
import { embeddedAddress, hasEmbedded } from "../db/embedded/place.ts";
import { faultOf } from "../db/external/fault.ts";
import { lostSettings } from "../db/external/lost-settings.ts";
import {
  type DatabaseStanding,
  encodingWarning,
  migrateFault,
  serveFault,
  useFault,
} from "../db/external/standing.pure.ts";
import { compareMigrations, migrate, requireKnown, schemaFault, standingOf } from "../db/migrate.ts";
import type { Log } from "../log.ts";

export type OpenedDatabase = {
  database: Database;
  /** The embedded PostgreSQL that this process started, or null when another process started it. */
  embedded: Embedded | null;
  close(): Promise<void>;
};

type Opening = Parameters<typeof openDatabase>[2];

const connection = (
  address: DatabaseAddress,
  embedded: Embedded | null,
  log: Log,
  opening?: Opening,
): OpenedDatabase => {
  const database = openDatabase(address, log, opening);
  return {
    database,
    embedded,
    async close() {
      await database.close();
      await embedded?.stop();
    },
  };
};

/** @throws ConfigError where the operator's database lacks a migration, which only the operator may apply */
async function requireMigrated({ database }: OpenedDatabase): Promise<void> {
  const difference = await compareMigrations(database.pool);
  const fault = schemaFault(difference);
  if (fault !== null)
    throw new ConfigError(`${fault}: run "npm run tidings migrate", or set AUTO_MIGRATE=1.`);
}

type Theirs = { connection: OpenedDatabase; standing: DatabaseStanding };

/**
 * The operator's PostgreSQL, once it has answered. Its address may carry a password and is never repeated.
 * @param migrates whether what is missing is going to be applied
 * @param setting what named the address, for refusals
 */
async function connectTheirs(
  url: string,
  log: Log,
  opening: Opening,
  migrates: boolean,
  setting = "DATABASE_URL",
): Promise<Theirs> {
  const theirs = connection({ connectionString: url }, null, log, opening);
  return orClose(theirs, async () => {
    const standing = await standingOf(theirs.database.pool, setting).catch((cause: unknown) => {
      throw new ConfigError(`${setting} names a database that cannot be used: ${faultOf(cause, setting)}.`, {
        cause,
      });
    });
    const fault = useFault(standing, migrates);
    if (fault !== null) throw new ConfigError(`${fault}.`);
    requireKnown(await compareMigrations(theirs.database.pool));
    return { connection: theirs, standing };
  });
}

/** Closes a connection whose first use failed: a PostgreSQL that was started for it must not outlive it. */
async function orClose<T>(opened: OpenedDatabase, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * For the server: its own PostgreSQL, started and migrated, or the operator's, which must be up to date.
 * @param launched called as soon as its own PostgreSQL runs, long before it answers
 */
export async function connectServer(config: Config, log: Log, launched: () => void): Promise<OpenedDatabase> {
  const opening = { ceilings: config.limits };
  if (config.databaseUrl === null) {
    const embedded = await startEmbedded(config.dataDir, log, { launched });
    if (embedded === null)
      throw new ConfigError(`Another Tidings server is running on DATA_DIR ${config.dataDir}.`);
    const own = connection(embedded.address, embedded, log, opening);
    await orClose(own, () => migrate(own.database.background.pool));
    return own;
  }
  const { connection: theirs, standing } = await connectTheirs(
    config.databaseUrl,
    log,
    opening,
    config.autoMigrate,
  );
  await orClose(theirs, async () => {
    if (config.autoMigrate) await migrate(theirs.database.background.pool);
    await requireMigrated(theirs);
    // Migrations may have made tables, which belong to the role then.
    const fault = serveFault(standing);
    if (fault !== null) throw new ConfigError(`${fault}.`);
    for (const warning of [encodingWarning(standing), await lostSettings(theirs.database)])
      if (warning !== null) log.warn(warning);
  });
  return theirs;
}

const OF_COMMANDS: Opening = { sizes: { pool: 3, hotPool: 1 }, ceilings: null };

/** @throws ConfigError where no server has made its database yet */
function requireData({ dataDir }: Config): void {
  if (!hasEmbedded(dataDir))
    throw new ConfigError(
      `There is no data in ${dataDir}: set DATA_DIR (or DATABASE_URL) to what your server uses, or start it first.`,
    );
}

/**
 * For `move`: the embedded PostgreSQL, migrated, which no server and no other command uses until it is closed.
 * @throws ConfigError where a server uses it
 */
export async function connectAloneTo(config: Config, log: Log): Promise<OpenedDatabase> {
  requireData(config);
  const embedded = await startEmbedded(config.dataDir, log, { alone: true });
  if (embedded === null)
    throw new ConfigError(
      `A Tidings server or command is running on DATA_DIR ${config.dataDir}: stop it first, and start it again afterwards, on the new database.`,
    );
  const own = connection(embedded.address, embedded, log, OF_COMMANDS);
  await orClose(own, () => migrate(own.database.pool));
  return own;
}

/** The database that `move` fills, with what an operator should know about it, or null. */
type MoveTarget = { opened: OpenedDatabase; warning: string | null };

/**
 * For `move`: the operator's PostgreSQL, migrated by a role that owns the tables.
 * @param setting what named the address, for refusals
 * @throws ConfigError where it cannot be used
 */
export async function connectTarget(url: string, setting: string, log: Log): Promise<MoveTarget> {
  const { connection: opened, standing } = await connectTheirs(url, log, OF_COMMANDS, true, setting);
  return orClose(opened, async () => {
    const fault = migrateFault(standing);
    if (fault !== null) throw new ConfigError(`${fault}. Nothing was changed.`);
    await migrate(opened.database.pool);
    const now = await standingOf(opened.database.pool, setting);
    const unusable = serveFault(now);
    if (unusable !== null) throw new ConfigError(`${unusable}.`);
    return { opened, warning: encodingWarning(now) };
  });
}

/** How long a command waits until the server that uses the folder is ready. */
const STARTING_MS = 30_000;

export type ConnectOptions = {
  /** Whether the command begins something: then it may make the embedded database where there is none. */
  begins?: true;
  /** Whether the command migrates by itself: then the database may lack migrations. */
  migrates?: true;
};

/**
 * For the other commands: beside a running server, or with the embedded PostgreSQL for as long as the command takes.
 * @throws ConfigError where there is no database, or one that this command cannot work on
 */
export async function connectCommand(
  config: Config,
  log: Log,
  { begins, migrates }: ConnectOptions,
): Promise<OpenedDatabase> {
  const opening = OF_COMMANDS;
  if (config.databaseUrl !== null) {
    const { connection: theirs } = await connectTheirs(config.databaseUrl, log, opening, migrates === true);
    if (!migrates) await orClose(theirs, () => requireMigrated(theirs));
    return theirs;
  }
  requireNotMoved(config.dataDir);
  // A mistyped folder must not become a new database.
  if (!begins) requireData(config);
  for (const until = Date.now() + STARTING_MS; ; await sleep(100)) {
    const embedded = await startEmbedded(config.dataDir, log);
    const opened = connection(embedded?.address ?? embeddedAddress(config.dataDir), embedded, log, opening);
    if (embedded !== null) {
      await orClose(opened, () => migrate(opened.database.pool));
      return opened;
    }
    // The server that uses the folder may be starting or stopping: try again.
    try {
      const difference = await compareMigrations(opened.database.pool);
      requireKnown(difference);
      const fault = schemaFault(difference);
      if (fault !== null) throw new Error(fault);
      return opened;
    } catch (cause) {
      await opened.close();
      if (cause instanceof ConfigError) throw cause;
      if (Date.now() > until)
        throw new ConfigError(`The database of DATA_DIR ${config.dataDir} is not ready: ${faultOf(cause)}`, {
          cause,
        });
    }
  }
}
