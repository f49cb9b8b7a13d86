/**
 * Runs the tests.
 *
 * `npm test` runs all quick files, and the slow ones (`runner/choice/slow.ts`) that were not green yet with what they stand on now;
 * `npm test -- --changed` what the changes of the work tree can reach; `npm test -- features/campaigns/goals` what lies there;
 * `npm test -- --all` every file; `npm run test:long` more rounds of each, too.
 *
 * One PostgreSQL serves all files, with a migrated template database that each file clones. Worker processes (`runner/`) take file after
 * file, the longest first. A file that failed is run once more, alone. However the run ends, it leaves no process and no folder;
 * where it fails, the logs stay.
 */
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProject } from "../src/features/access/public.ts";
import { type Database, type DatabaseAddress, openDatabase } from "../src/platform/db/db.ts";
import { type Embedded, startEmbedded } from "../src/platform/db/embedded/embedded.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { createLog } from "../src/platform/log.ts";
import { copyPostgres } from "./data-folder.ts";
import { readArguments } from "./runner/arguments.ts";
import { chooseFiles } from "./runner/choice/choose.ts";
import { COMPILED, KEPT, openKept } from "./runner/kept.ts";
import { placeOfRun } from "./runner/place.ts";
import { endProcessesOf } from "./runner/processes.ts";
import { sayChoice, saySums } from "./runner/report.ts";
import { runSuite } from "./runner/suite.ts";
import { findSecrets } from "./secrets/find-secrets.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

const wanted = readArguments(process.argv.slice(2));
const chosen = chooseFiles(ROOT, wanted);
const files = [...chosen.whole, ...chosen.brief];

/** A part that is named may be given many more seeds than the whole (`MODEL_SEEDS=100`), so its files get more time. */
const fileTimeoutMs = wanted.isLong || wanted.parts.length > 0 ? 1_200_000 : 480_000;

const start = performance.now();
const startedAt = Date.now();
/** All of the run lies in here: the database, the logs, and whatever tests put into their temporary folder. */
const folder = await mkdtemp(join(placeOfRun(), "tidings-test-"));
const logs = join(folder, "logs");

const REMOVE = { recursive: true, force: true, maxRetries: 10 };
const log = createLog("error");
const ending = new AbortController();
let embedded: Embedded | null = null;
let running: Promise<boolean> = Promise.resolve(true);

/** Ends what the run has started and removes its folder, where a person or a program interrupts it (Ctrl-C, SIGTERM). */
async function interrupt(code: number): Promise<void> {
  if (ending.signal.aborted) return;
  ending.abort();
  // Stopped by the runner as well, which would start it again otherwise.
  await Promise.all([embedded?.stop(), endProcessesOf(folder)]);
  // What the run was about to start, or to write, when it was interrupted.
  await running.catch(() => undefined);
  await endProcessesOf(folder);
  await rm(folder, REMOVE);
  process.exit(code);
}
process.on("SIGINT", () => void interrupt(130));
process.on("SIGTERM", () => void interrupt(143));
// A reader that has seen enough (`npm test | head`) closes the pipe, and no word of the run can be printed any more.
for (const printed of [process.stdout, process.stderr]) printed.on("error", () => void interrupt(1));

/** Whether no log of any process of the run contains a secret of the run, or what looks like one. */
async function areLogsClean(): Promise<boolean> {
  const { found, secrets, bytes } = await findSecrets(logs);
  const searched = `${secrets} secrets in ${(bytes / 1e6).toFixed(1)} MB of logs`;
  if (found.length === 0) console.log(`None of ${searched}.`);
  else console.error(`Searched for ${searched}.`);
  for (const { file, line, what } of found) console.error(`A secret in a log: ${file}:${line}: ${what}`);
  return found.length === 0;
}

/** Nothing here has to outlive a power cut; durability is tested against other servers. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "128MB",
  max_connections: "300",
};

async function startPostgres(): Promise<Embedded> {
  ending.signal.throwIfAborted();
  embedded = await startEmbedded(folder, log, { settings: SETTINGS });
  if (embedded === null) throw new Error("The folder of the tests is in use.");
  return embedded;
}

/** Uses the database from here, for as long as that takes. */
async function withDatabase(address: DatabaseAddress, use: (database: Database) => Promise<unknown>) {
  const database = openDatabase(address, log);
  await use(database);
  await database.close();
}

async function run(): Promise<boolean> {
  await mkdir(logs);
  const made = await startPostgres();
  await withDatabase(made.address, ({ pool }) => migrate(pool));
  // At rest it is what a first start makes: servers with a data folder of their own begin with a copy of it.
  await made.stop();
  const migrated = join(folder, "migrated");
  await copyPostgres(folder, migrated);
  embedded = await startPostgres();
  try {
    // A neighbour in every clone: what it has must never show in another project.
    await withDatabase(embedded.address, ({ kysely }) =>
      kysely.transaction().execute((tx) => createProject(tx, "Neighbour", Date.now())),
    );

    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: COMPILED,
      TIDINGS_TEST_DATABASE: JSON.stringify(embedded.address),
      TIDINGS_TEST_MIGRATED: migrated,
      TIDINGS_TEST_LOGS: logs,
      ...(wanted.isLong ? { TIDINGS_TEST_LONG: "1" } : {}),
    };
    const { outcomes, isGreen, greenAtOnce } = await runSuite(
      files,
      {
        root: ROOT,
        flags: wanted.flags,
        env,
        folder,
        fileTimeoutMs,
        brief: new Set(chosen.brief),
        endsAt: startedAt + wanted.withinMs,
        signal: ending.signal,
      },
      openKept(KEPT),
      console.log,
    );
    const areClean = await areLogsClean();
    await embedded.stop();
    saySums(console.log, outcomes, performance.now() - start);
    if (areClean) chosen.keepGreen(greenAtOnce);
    if (chosen.left.length + chosen.brief.length > 0) sayChoice(console.log, chosen);
    return isGreen && areClean;
  } finally {
    if (!ending.signal.aborted) await embedded.stop();
  }
}

let isGreen = false;
try {
  sayChoice(console.log, chosen);
  if (files.length > 0) running = run();
  isGreen = await running;
} catch (error) {
  // A run that is interrupted fails somewhere, and says so by its code.
  if (!ending.signal.aborted) throw error;
} finally {
  if (!ending.signal.aborted) {
    await endProcessesOf(folder);
    if (!isGreen) {
      const kept = await mkdtemp(join(tmpdir(), "tidings-test-logs-"));
      await cp(logs, kept, { recursive: true });
      console.error(`The logs are kept in ${kept}.`);
    }
    await rm(folder, REMOVE);
  }
}
process.exitCode = isGreen ? 0 : 1;
