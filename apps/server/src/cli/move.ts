import { join } from "node:path";
import { counted } from "@tidings/client/text";
import type { Command } from "commander";
import type pg from "pg";
import { houseTables } from "../domain/house-tables.ts";
import { type Examined, examineIn } from "../features/system/public.ts";
import { say } from "../platform/cli/command.ts";
import { connectAloneTo, connectTarget, type OpenedDatabase } from "../platform/cli/connect.ts";
import { type Config, ConfigError, loadConfig } from "../platform/config.ts";
import type { Db } from "../platform/db/db.ts";
import { readMove, requireNotMoved } from "../platform/db/embedded/moved.ts";
import { databaseUrlFault } from "../platform/db/external/address.ts";
import { moveOut, rehearseMove } from "../platform/db/moving/move-out.ts";
import type { MovedRows } from "../platform/db/moving/move-rows.ts";
import { createLog } from "../platform/log.ts";
import type { App } from "../platform/runtime.ts";
import { secretsOnUse } from "../platform/secrets/secrets.ts";

const HELP = `
The same ids, keys and links: every row goes over as it is, in one transaction of the other database, in which everything is recounted
before it is committed. Stop the server first. What is interrupted leaves the other database empty, and the data where it was.

MOVE_TO in the environment (or .env) is the same as --to, and keeps the password out of the list of processes. docs/backup.md says more.

Exit codes:
  0  moved; with --check: could be moved
  1  nothing was moved, and why`;

type MoveOptions = { to?: string; check?: true };

/** Adds `move` to the command. */
export function addMoveCommand(program: Command, ports: Pick<App, "ask">): void {
  program
    .command("move")
    .description(
      "bring all data of the embedded database into your own PostgreSQL, with the same ids, keys and links",
    )
    .option(
      "--to <address>",
      "the other database, empty, as DATABASE_URL names it: postgres://db.example.com/tidings (or MOVE_TO)",
    )
    .option("--check", "do everything, and take it back: a rehearsal, in the full time that it takes")
    .addHelpText("after", HELP)
    .action((options: MoveOptions) => move(options, ports));
}

/** Where the data goes: the address, what named it, and how it is called where people read it, without credentials. */
type Destination = { url: string; setting: string };

/** @throws ConfigError where there is no address, or none that can be used; it is never repeated */
function destination({ to }: MoveOptions): Destination {
  const setting = to === undefined ? "MOVE_TO" : "--to";
  const url = to ?? process.env.MOVE_TO ?? "";
  if (url === "")
    throw new ConfigError(
      "Say where the data goes, as in DATABASE_URL: --to postgres://db.example.com/tidings, or MOVE_TO in the environment.",
    );
  const fault = databaseUrlFault(url);
  if (fault !== null) throw new ConfigError(`${setting} is not usable: ${fault}`);
  return { url, setting };
}

/** @throws ConfigError where the data is not in the folder any more, or never was */
function requireOwnData(config: Config, { check }: MoveOptions): void {
  if (config.databaseUrl !== null)
    throw new ConfigError(
      "DATABASE_URL is set, and move takes the embedded database of DATA_DIR: your own PostgreSQL moves with pg_dump and pg_restore (docs/backup.md).",
    );
  // A move that was interrupted at its last step is finished by the next one; a rehearsal finishes nothing.
  if (check === true || readMove(config.dataDir)?.state !== "ending") requireNotMoved(config.dataDir);
}

async function move(options: MoveOptions, { ask }: Pick<App, "ask">): Promise<void> {
  const to = destination(options);
  const config = loadConfig(process.env);
  requireOwnData(config, options);
  const log = createLog("warn", config.logFile);
  const own = await connectAloneTo(config, log);
  try {
    const theirs = await connectTarget(to.url, to.setting, log);
    try {
      if (theirs.warning !== null) say(`Beware: ${theirs.warning}.`);
      const house = { ask, config, secrets: secretsOnUse(config) };
      await moveBetween({ own, theirs: theirs.opened, house, setting: to.setting }, options);
    } finally {
      await theirs.opened.close();
    }
  } finally {
    await own.close();
  }
}

type Parties = { own: OpenedDatabase; theirs: OpenedDatabase; house: Examined; setting: string };

/** A database as people read it: its host and its name. */
const placeOf = ({ host, port, database }: pg.Client): string =>
  `${host}${port === 5432 ? "" : `:${port}`}/${database}`;

/** Connects to both and moves; whatever happens, the connections are ended, and with them what was not committed. */
async function moveBetween({ own, theirs, house, setting }: Parties, { check }: MoveOptions): Promise<void> {
  const connect = (): pg.Client => theirs.database.connectAlone("tidings move");
  const between = { source: own.database.connectAlone("tidings move"), target: connect() };
  const clients = Object.values(between);
  // A connection that breaks emits this as well as failing its statement.
  for (const client of clients) client.on("error", () => undefined);
  try {
    for (const client of clients) await client.connect();
    const { dataDir } = house.config;
    const to = placeOf(between.target);
    const declared = new Set(
      house
        .ask(houseTables)()
        .map(({ name }) => name),
    );
    const how = { declared, report: say, examine: (tx: Db) => examineIn(house, tx) };
    const parts = { between, how, dataDir, to, setting, connect };
    say(`${check === true ? "Rehearsing the move of" : "Moving"} the data of ${dataDir} to ${to}.`);
    if (check === true) say(rehearsed(await rehearseMove(parts)));
    else say(moved(await moveOut(parts), house.config, to));
  } finally {
    for (const client of clients) await client.end().catch(() => undefined);
  }
}

const figures = ({ tables, rows }: MovedRows): string =>
  `${counted(rows, "row")} of ${counted(tables, "table")}`;

const rehearsed = (rows: MovedRows): string =>
  `Nothing was moved: this was a rehearsal, and ${figures(rows)} could be. Run it without --check to move them.`;

/** What is left to do for the operator. */
function moved(rows: MovedRows | null, { dataDir, secretKey }: Config, to: string): string {
  const key =
    secretKey === null
      ? `SECRET_KEY to what the file ${join(dataDir, "secret.key")} has; keep a copy of it`
      : "SECRET_KEY to what it is now";
  return [
    rows === null
      ? `All data is in ${to}: the earlier move had brought it there.`
      : `Moved ${figures(rows)} to ${to}.`,
    "",
    "What to do now:",
    "  1. Set DATABASE_URL to that database for the server and all commands, in the environment or in .env.",
    `  2. Set ${key}.`,
    `  3. Leave DATA_DIR as it is: mirrors of repositories, files of syncs and files of keys stay in ${dataDir}.`,
    "  4. Start the server, and see that all is well: tidings doctor.",
    `Nothing starts on the data of ${dataDir} any more. When you are sure, remove the folder ${join(dataDir, "postgres")}.`,
  ].join("\n");
}
