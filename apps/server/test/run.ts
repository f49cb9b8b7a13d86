/**
 * Runs the tests: one PostgreSQL for all files, a migrated template database that each file clones.
 * `npm test` runs everything; `npm test -- apps/server/src/features/goals` only what lies there.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createProject } from "../src/features/access/public.ts";
import { openDatabase } from "../src/platform/db/db.ts";
import { startEmbedded } from "../src/platform/db/embedded/embedded.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { createLog } from "../src/platform/log.ts";
import { findSecrets } from "./secrets/find-secrets.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const FILE_TIMEOUT_MS = 240_000;

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const files = globSync("{apps,packages,bench,e2e}/**/*.test.ts", {
  cwd: ROOT,
  exclude: ["**/node_modules/**"],
})
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(relative("", part))))
  .sort();
if (files.length === 0) throw new Error(`No test file matches ${wanted.join(" ")}.`);

/** Fails the run where a log of any of its processes holds a secret of the run, or what looks like one. */
async function searchLogs(logs: string): Promise<void> {
  const { found, secrets, bytes } = await findSecrets(logs);
  const searched = `${secrets} secrets in ${(bytes / 1e6).toFixed(1)} MB of logs`;
  if (found.length === 0) return console.log(`None of ${searched}.`);
  process.exitCode = 1;
  for (const { file, line, what } of found) console.error(`A secret in a log: ${file}:${line}: ${what}`);
  console.error(`Searched for ${searched}; they are kept in ${logs}.`);
}

const folder = await mkdtemp(join(tmpdir(), "tidings-test-"));
const logs = await mkdtemp(join(tmpdir(), "tidings-test-logs-"));
const log = createLog("error");
// Nothing here has to outlive a power cut; durability itself is tested against servers of their own.
const embedded = await startEmbedded(folder, log, {
  fsync: "off",
  shared_buffers: "128MB",
  max_connections: "300",
});
if (embedded === null) throw new Error("The folder of the tests is in use.");
try {
  const template = openDatabase(embedded.address, log);
  await migrate(template.pool);
  // A neighbour in every clone: what it has must never show in another project.
  await template.kysely.transaction().execute((tx) => createProject(tx, "Neighbour", Date.now()));
  await template.close();

  const node = spawn(
    process.execPath,
    ["--test", "--test-concurrency=2", `--test-timeout=${FILE_TIMEOUT_MS}`, ...flags, ...files],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: {
        ...process.env,
        TIDINGS_TEST_DATABASE: JSON.stringify(embedded.address),
        TIDINGS_TEST_LOGS: logs,
      },
    },
  );
  process.exitCode = await new Promise<number>((resolve) => node.once("exit", (code) => resolve(code ?? 1)));
  await searchLogs(logs);
} finally {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
  if (!process.exitCode) await rm(logs, { recursive: true, force: true });
}
