import { after, before } from "node:test";
import { type Client, createClient, TidingsError } from "@tidings/client";
import pg from "pg";
import { createTidings, type Tidings } from "../src/app.ts";
import { createProject, type ProjectKeys } from "../src/features/access/public.ts";
import { type Config, loadConfig } from "../src/platform/config.ts";
import { type Database, openDatabase } from "../src/platform/db/db.ts";
import { createLog } from "../src/platform/log.ts";
import { createSecrets } from "../src/platform/secrets/secrets.ts";
import { dropDatabase } from "./drop-database.ts";
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

export type TestHouse = {
  tidings: Tidings;
  database: Database;
  /** Address of the HTTP server. */
  url: string;
  /** Moves the clock: to an instant (epoch ms), where it then stands until it is moved again. */
  at(instant: number): void;
  /** Moves the clock on by some milliseconds. */
  advance(ms: number): void;
  now(): number;
  /** A project of its own: nothing is shared, nothing is cleaned. */
  project(): Promise<TestProject>;
  /** A second server on the same database; answers a project as one sees it through that one. */
  elsewhere(project: TestProject): Promise<TestProject>;
  /**
   * The second server itself: another process, as far as the database can tell. Only for a house with a `databaseUrl`: without one each
   * server takes itself for the only one, and ends the leases of the other.
   */
  second(): Promise<Tidings>;
  /** Gives every loop its turn, until none finds anything due. */
  drain(): Promise<void>;
  /** Differences that the doctor finds, by name, in all projects or in one; an empty object is a healthy house. */
  differences(projectId?: string): Promise<Record<string, number>>;
};

let clones = 0;

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

/** A server on a database that is there, by name. */
export async function startServer(
  name: string,
  overrides: Partial<Config>,
  clock: () => number,
  lockWaitMs?: number,
): Promise<Served> {
  const settings = { PORT: "0", LOG_LEVEL: "silent", LOG_FILE: logFile(), RATE_LIMITS: "off", ...OUTSIDE };
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

/**
 * A whole server for the tests of one file, on a database cloned for it. Call at the top of a file or a suite.
 * @param lockWaitMs how long a statement of a group commit waits for a lock: long where requests have to queue at a row, in order
 */
export function testHouse(overrides: Partial<Config> = {}, lockWaitMs?: number): TestHouse {
  const house = {} as TestHouse;
  let admin: pg.Client;
  const name = `test_${process.pid}_${clones++}`;
  let clock = Date.UTC(2026, 0, 15, 12);
  let second: Promise<Served> | null = null;

  before(async () => {
    const address = testServer();
    admin = new pg.Client({ ...address, database: "postgres" });
    await admin.connect();
    // Its files are copied as they are: written page by page, through the log, they take twice as long.
    await admin.query(`create database ${name} template ${address.database} strategy file_copy`);
    const { tidings, database, url } = await startServer(name, overrides, () => clock, lockWaitMs);
    // Tests give the loops their turns themselves; this row shows the pages a process that works.
    await database.pool.query(
      "insert into processes (lease_owner, serves, works, seen_at) values ($1, false, true, clock_timestamp() + interval '1 day')",
      [THE_TEST],
    );
    Object.assign(house, {
      tidings,
      database,
      url,
      at: (instant: number) => {
        clock = instant;
      },
      advance: (ms: number) => {
        clock += ms;
      },
      now: () => clock,
      async project() {
        const keys = await database.kysely.transaction().execute((tx) => createProject(tx, "Test", clock));
        keepSecrets(keys.publishableKey, keys.secretKey, keys.agentKey, SECRET_KEY.toString("base64"));
        return testClients(url, keys);
      },
      async elsewhere(project) {
        second ??= startServer(name, overrides, () => clock);
        return testClients((await second).url, project);
      },
      async second() {
        if (tidings.app.config.databaseUrl === null)
          throw new Error("Two servers that work need a house with a databaseUrl.");
        second ??= startServer(name, overrides, () => clock);
        return (await second).tidings;
      },
      drain: () => tidings.drain(),
      async differences(projectId) {
        const found: Record<string, number> = {};
        for await (const { name, differences } of tidings.check(projectId))
          if (differences > 0) found[name] = differences;
        return found;
      },
    } satisfies TestHouse);
  });

  after(async () => {
    await (await second)?.tidings.close();
    await house.tidings.close();
    await dropDatabase(admin, name);
    await admin.end();
  });
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
