import { resolve } from "node:path";
import { counted } from "@tidings/client/text";
import type { Command } from "commander";
import { type Backup, makeBackup } from "../features/backups/public.ts";
import { type Examined, examine } from "../features/system/public.ts";
import type { CheckFinding } from "../platform/checks.ts";
import { countOption, say, withDatabase } from "../platform/cli/command.ts";
import { type Config, ConfigError, loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db/db.ts";
import { startEmbedded } from "../platform/db/embedded/embedded.ts";
import { createLog } from "../platform/log.ts";
import type { App } from "../platform/runtime.ts";
import { secretsOnUse } from "../platform/secrets/secrets.ts";
import { SECOND_MS, systemClock } from "../platform/time/clock.ts";
import { lineOf, summary } from "./doctor.ts";
import { withSignals } from "./signals.ts";

const HELP = `
Works beside a running server, which goes on serving, and alone. Each backup is a folder in DIR, and is there as a whole or not at all. It
is a DATA_DIR with the secret key: start from it with DATA_DIR=DIR/tidings-... npm start. A server makes backups by itself where BACKUP_EVERY
is set. See docs/backup.md.

Exit codes:
  0  the backup is there; with --check it could be started, and nothing in it differs
  1  anything else`;

/** Beside a server it works for a quarter of the time. */
const REST = 3;
const STOPPED = "No backup was made: it was stopped.";

/** Aborts when the process is to end, so that no half of a backup stays on the disk. */
function untilSignal<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  return withSignals(
    () => stopping.abort(new ConfigError(STOPPED)),
    () => act(stopping.signal),
  );
}

type BackupOptions = { keep?: number; check?: true; json?: true };

async function backUp(
  typed: string | undefined,
  { keep }: BackupOptions,
  signal: AbortSignal,
): Promise<Backup> {
  const made = Promise.withResolvers<Backup>();
  await withDatabase(async ({ database, embedded }, config) => {
    const folder = typed === undefined ? config.backups.folder : resolve(typed);
    made.resolve(
      await makeBackup({
        config,
        database,
        clock: systemClock,
        folder,
        keep: keep ?? null,
        signal,
        // Where the database was started for this alone, there is no server to rest for.
        restAfter: (tookMs) => (embedded === null ? tookMs * REST : 0),
      }),
    );
  });
  return made.promise;
}

/** A PostgreSQL that is started to be looked at, beside the one that serves, takes little memory. */
const MODEST = { shared_buffers: "64MB" };

/** Starts a backup as its own server would, and has the doctor look at it. */
async function check(
  { ask, config }: Pick<Examined, "ask" | "config">,
  { path }: Backup,
  signal: AbortSignal,
): Promise<CheckFinding[]> {
  const log = createLog("warn", config.logFile);
  const embedded = await startEmbedded(path, log, { settings: MODEST });
  if (embedded === null) throw new ConfigError(`Another Tidings server is running on ${path}.`);
  // Whatever is looked at then, ends.
  const stop = (): void => void embedded.stop();
  signal.addEventListener("abort", stop);
  const database = openDatabase(embedded.address, log, { sizes: { pool: 3, hotPool: 1 }, ceilings: null });
  try {
    const its: Config = { ...config, dataDir: path };
    const house = { ask, config: its, secrets: secretsOnUse(its) };
    const found: CheckFinding[] = [];
    signal.throwIfAborted();
    for await (const finding of examine(house, database.background.kysely, null)) found.push(finding);
    return found;
  } catch (cause) {
    if (signal.aborted) throw new ConfigError(`${path} is complete, and was not checked: that was stopped.`);
    throw cause;
  } finally {
    signal.removeEventListener("abort", stop);
    await database.close();
    await embedded.stop();
  }
}

const ABOUT_KEY = {
  "secret.key":
    "It has secret.key, with which its passwords and keys are sealed: keep it where only you can read it.",
  SECRET_KEY: "Keep SECRET_KEY apart from it: without it, no stored password or key opens.",
} as const;

const linesOf = ({ path, files, bytes, startedAt, endedAt, secretKey }: Backup): string[] => [
  path,
  `${counted(files, "file")}, ${(bytes / 2 ** 20).toFixed(1)} MB, ${((endedAt - startedAt) / SECOND_MS).toFixed(1)} s`,
  ...(secretKey === null ? [] : [ABOUT_KEY[secretKey]]),
];

async function runBackup(
  typed: string | undefined,
  options: BackupOptions,
  { ask }: Pick<App, "ask">,
): Promise<void> {
  const config = loadConfig(process.env);
  if (config.databaseUrl !== null)
    throw new ConfigError(
      "DATABASE_URL names your own PostgreSQL: pg_dump makes its backups, beside a running server. See docs/backup.md.",
    );
  const { backup, found } = await untilSignal(async (signal) => {
    const made = await backUp(typed, options, signal);
    if (!options.json) say(linesOf(made).join("\n"));
    return { backup: made, found: options.check ? await check({ ask, config }, made, signal) : null };
  });
  const differing = found?.filter(({ differences }) => differences > 0) ?? [];
  if (differing.length > 0) process.exitCode = 1;
  if (options.json) return say({ ...backup, checks: found });
  if (found === null) return;
  for (const each of differing) say(lineOf(each));
  say(`It starts. ${summary(found)}`);
}

/** Adds `backup` to the command. */
export function addBackupCommand(program: Command, ports: Pick<App, "ask">): void {
  program
    .command("backup")
    .description("copy the embedded database, whole, while the server runs or not")
    .argument(
      "[dir]",
      "the folder for backups; by default BACKUP_FOLDER, which is DATA_DIR/backups where it is not set",
    )
    .option(
      "--keep <count>",
      "keep so many backups of this database there, and remove older ones",
      countOption,
    )
    .option("--check", "start the backup that was made, and run the doctor on it")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action((typed: string | undefined, options: BackupOptions) => runBackup(typed, options, ports));
}
