import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type Client, createClient, TidingsError } from "@tidings/client";
import pg from "pg";
import { createTidings, type Tidings } from "../src/app.ts";
import { createProject, type ProjectKeys } from "../src/features/access/public.ts";
import { type Config, loadConfig } from "../src/platform/config.ts";
import { type Database, openDatabase } from "../src/platform/db/db.ts";
import { createLog } from "../src/platform/log.ts";
import type { App } from "../src/platform/runtime.ts";
import { createSecrets } from "../src/platform/secrets/secrets.ts";
import { dropDatabase } from "./drop-database.ts";
import { leftOpen } from "./runner/left-open.ts";
import { keepSecrets, logFile } from "./secrets/secrets-of-the-run.ts";

type SocketAddress = { host: string; user: string; database: string };

/** Where the tests have their databases. */
export function testServer(): SocketAddress {
  const given = process.env.TIDINGS_TEST_DATABASE;
  if (given === undefined) throw new Error("Tests run with npm test, which brings their database.");
  return JSON.parse(given) as SocketAddress;
}

/** One project of one test, with a client for each of its keys. */
export type TestProject = ProjectKeys & {
  /** Address of the server that it is asked through. */
  url: string;
  /** SDK calls, with the publishable key. */
  sdk: Client;
  /** Management calls, with the secret key. */
  api: Client;
  /** The hosted agent's key. */
  agent: Client;
};

/** What a test may use of a house that has projects of other files as well: nothing here reaches beyond the projects that it is used for. */
export type SharedHouse = {
  tidings: { app: Pick<App, "ask" | "secrets"> };
  /** For statements about projects, each of which names its own. */
  database: Pick<Database, "kysely" | "pool">;
  /** Address of the HTTP server. */
  url: string;
  /** The clock, which stands still in a shared house. */
  now(): number;
  /** A project of its own: nothing is shared, nothing is cleaned. */
  project(): Promise<TestProject>;
  /** Differences that the doctor finds in a project, by name; an empty object is a healthy one. */
  differences(projectId: string): Promise<Record<string, number>>;
};

/** A house that a file has to itself. */
export type TestHouse = SharedHouse & {
  tidings: Tidings;
  database: Database;
  /** Moves the clock: to an instant (epoch ms), where it then stands until it is moved again. */
  at(instant: number): void;
  /** Moves the clock on by some milliseconds. */
  advance(ms: number): void;
  /** A second server on the same database; answers a project as one sees it through that one. */
  elsewhere(project: TestProject): Promise<TestProject>;
  /**
   * The second server itself: another process, as far as the database can tell. Only for a house with a `databaseUrl`: without one each
   * server takes itself for the only one, and ends the leases of the other.
   */
  second(): Promise<Tidings>;
  /** Gives every loop its turn, until none finds anything due. */
  drain(): Promise<void>;
  /** Differences that the doctor finds in all projects, or in one. */
  differences(projectId?: string): Promise<Record<string, number>>;
};

let clones = 0;

/** Where the clock of a house stands at first. */
const NOON = Date.UTC(2026, 0, 15, 12);

/** Stands in the list of processes for the test, whose heartbeat never gets old. */
export const THE_TEST = "00000000-0000-7000-8000-000000000000";

/** An address of this machine at which nothing listens: tests ask nothing outside of it, of which each machine knows something else. */
const NOWHERE = "127.0.0.1:1";
const OUTSIDE = {
  DNS_SERVER: NOWHERE,
  APNS_URL: `https://${NOWHERE}`,
  FCM_URL: `https://${NOWHERE}`,
  GOOGLE_TOKEN_URL: `https://${NOWHERE}/token`,
};

const SECRET_KEY = Buffer.alloc(32, "tidings tests");
const secrets = createSecrets(SECRET_KEY);

type Served = { tidings: Tidings; database: Database; url: string };

/** Where the syncs of a server write, which makes it when it is needed. */
const syncsFolderOf = (database: string): string => join(tmpdir(), `tidings-syncs-${database}`);

/** A server on a database that is there, by name. */
export async function startServer(
  name: string,
  overrides: Partial<Config>,
  clock: () => number,
  lockWaitMs?: number,
): Promise<Served> {
  const folders = { SYNCS_FOLDER: syncsFolderOf(name) };
  const settings = {
    ...folders,
    PORT: "0",
    LOG_LEVEL: "silent",
    LOG_FILE: logFile(),
    RATE_LIMITS: "off",
    ...OUTSIDE,
  };
  const config = { ...loadConfig(settings), ...overrides };
  const log = createLog(config.logLevel, config.logFile);
  const database = openDatabase({ ...testServer(), database: name }, log, {
    ceilings: config.limits,
    ...(lockWaitMs === undefined ? {} : { lockWaitMs }),
  });
  const tidings = createTidings({ config, database, log, secrets, clock, checkAnswers: true });
  return { tidings, database, url: await tidings.listen() };
}

/** A project as it is seen through clients of its keys. */
export const testClients = (url: string, keys: ProjectKeys): TestProject => ({
  ...keys,
  url,
  sdk: createClient(url, keys.publishableKey),
  api: createClient(url, keys.secretKey),
  agent: createClient(url, keys.agentKey),
});

/** A database cloned for a house, by its name, on a connection that makes and drops it. */
type Clone = { admin: pg.Client; name: string };

async function cloneDatabase(): Promise<Clone> {
  const address = testServer();
  const name = `test_${process.pid}_${clones++}`;
  const admin = new pg.Client({ ...address, database: "postgres" });
  await admin.connect();
  // Its files are copied as they are: written page by page, through the log, they take PostgreSQL 30 ms of processor time, and not 20.
  await admin.query(`create database ${name} template ${address.database} strategy file_copy`);
  return { admin, name };
}

/** What all houses have: a server, and a way to projects of it. */
async function openHouse(start: Promise<Served>, now: () => number) {
  const { tidings, database, url } = await start;
  // Tests give the loops their turns themselves; this row shows the pages a process that works.
  await database.pool.query(
    "insert into processes (lease_owner, serves, works, seen_at) values ($1, false, true, clock_timestamp() + interval '1 day')",
    [THE_TEST],
  );
  return {
    tidings,
    database,
    url,
    now,
    async project() {
      const keys = await database.kysely.transaction().execute((tx) => createProject(tx, "Test", now()));
      keepSecrets(keys.publishableKey, keys.secretKey, keys.agentKey, SECRET_KEY.toString("base64"));
      return testClients(url, keys);
    },
    async differences(projectId?: string) {
      const found: Record<string, number> = {};
      for await (const { name, differences } of tidings.check(projectId))
        if (differences > 0) found[name] = differences;
      return found;
    },
  };
}

/**
 * A whole server for the tests of one file, on a database cloned for it. Call at the top of a file or a suite.
 * @param lockWaitMs how long a statement of a group commit waits for a lock: long where requests have to queue at a row, in order
 */
export function testHouse(overrides: Partial<Config> = {}, lockWaitMs?: number): TestHouse {
  const house = {} as TestHouse;
  let clone: Clone;
  let clock = NOON;
  let second: Promise<Served> | null = null;
  const start = () => startServer(clone.name, overrides, () => clock, lockWaitMs);

  before(async () => {
    clone = await cloneDatabase();
    const opened = await openHouse(start(), () => clock);
    const { tidings } = opened;
    Object.assign(house, {
      ...opened,
      at: (instant: number) => {
        clock = instant;
      },
      advance: (ms: number) => {
        clock += ms;
      },
      async elsewhere(project) {
        second ??= startServer(clone.name, overrides, () => clock);
        return testClients((await second).url, project);
      },
      async second() {
        if (tidings.app.config.databaseUrl === null)
          throw new Error("Two servers that work need a house with a databaseUrl.");
        second ??= startServer(clone.name, overrides, () => clock);
        return (await second).tidings;
      },
      drain: () => tidings.drain(),
    } satisfies TestHouse);
  });

  after(async () => {
    await (await second)?.tidings.close();
    await house.tidings.close();
    await dropDatabase(clone.admin, clone.name);
    await clone.admin.end();
    rmSync(syncsFolderOf(clone.name), { recursive: true, force: true });
  });
  return house;
}

type OpenedHouse = Awaited<ReturnType<typeof openHouse>>;

let shared: Promise<OpenedHouse> | null = null;

/** What an open house keeps open between files. A connection that is in use is not counted: what uses it was left open by a file. */
function openIn({ database }: OpenedHouse): Record<string, number> {
  const { pool, hotPool, lookups, background, people } = database;
  const pools = [pool, hotPool, lookups.pool, background.pool, people];
  const idle = pools.reduce((count, { idleCount }) => count + idleCount, 0);
  // Each has a timer that ends it when it is not needed for long.
  return { TCPServerWrap: 1, PipeWrap: idle, Timeout: idle };
}

async function openShared(): Promise<OpenedHouse> {
  const { admin, name } = await cloneDatabase();
  await admin.end();
  const now = (): number => NOON;
  const opened = await openHouse(startServer(name, {}, now), now);
  leftOpen.share(() => openIn(opened));
  return opened;
}

/**
 * The one server of this process for all files whose tests use projects of their own, and nothing beyond them: it costs as much as dozens
 * of such tests. It ends with the process, and its database with the run. Call at the top of a file or a suite.
 */
export function sharedHouse(): SharedHouse {
  const house = {} as SharedHouse;
  before(async () => {
    shared ??= openShared();
    const { tidings, database, url, now, project, differences } = await shared;
    Object.assign(house, { tidings, database, url, now, project, differences } satisfies SharedHouse);
  });
  // Those of clients that are not used any more: the next file would take them for left open.
  after(async () => (await shared)?.tidings.server.server.closeIdleConnections());
  return house;
}

/** The refusal that a call ends in; fails when it succeeds. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number; error: string; body: unknown; headers: Headers }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof TidingsError)
      return { status: error.status, error: error.message, body: error.body, headers: error.headers };
    throw error;
  }
  throw new Error("The call was expected to be refused, and was not.");
}
