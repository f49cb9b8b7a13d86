import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { counted } from "@tidings/client/text";
import { houseTables, type Table } from "../../../domain/house-tables.ts";
import {
  type AddCommands,
  nameOption,
  pairLines,
  printable,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { toFile, toOutput, type Write } from "../../../platform/cli/output.ts";
import { type Config, ConfigError } from "../../../platform/config.ts";
import { secretsOnUse } from "../../../platform/secrets/secrets.ts";
import { chosenProject, projectOption } from "../../access/public.ts";
import { exportProject } from "../export.ts";
import { type Imported, importProject } from "../import.ts";
import { PortableError } from "../portable-error.ts";
import { IDENTITY_SECRET } from "../secrets.ts";

/** Turns the fault of a file into an error that the command prints as one line. */
async function orConfigError<T>(act: Promise<T>): Promise<T> {
  return act.catch((cause: unknown) => {
    throw cause instanceof PortableError ? new ConfigError(`${cause.message}.`, { cause }) : cause;
  });
}

const IN_CLEAR =
  "This export holds passwords and keys in clear (--with-secrets): whoever reads it can send in your name.";

type ExportOptions = { project?: string; out?: string; withSecrets?: boolean };

async function runExport(
  tables: readonly Table[],
  { project, out, withSecrets = false }: ExportOptions,
): Promise<void> {
  await withDatabase(async ({ database }, config) => {
    const { id: projectId } = await chosenProject(database.kysely, project);
    const exporting = { projectId, tables, withSecrets, now: Date.now() };
    const act = (write: Write) => exportProject(database.kysely, secretsOnUse(config), exporting, write);
    const { header, footer } = await orConfigError(out === undefined ? act(toOutput) : toFile(out, act));
    const records = Object.values(footer.counts).reduce((sum, count) => sum + count, 0);
    // Print to standard error, because the export itself may go to standard output.
    console.error(`Exported ${records} records of ${printable(header.project.name)}.`);
    if (header.secrets === "in clear") console.error(IN_CLEAR);
    else if (header.secrets.length > 0)
      console.error(`Left out, because they are secrets: ${header.secrets.map(printable).join("; ")}.`);
  });
}

/** The lines that tell how the new project differs from the exported one. */
function differencesOf({ paused, forgottenSuppressions, secrets }: Imported): string[] {
  return [
    paused === 0
      ? "No campaign is running."
      : `${counted(paused, "campaign")} paused: none runs before somebody launches it again. Pause or end those of the old project first, so that nobody is messaged from two places.`,
    "The keys above are new: the old ones are the old project's. Pages, apps and programs have to be given the new ones.",
    ...(secrets === "in clear" || secrets.length === 0
      ? []
      : [`To be set again, because secrets were left out: ${secrets.map(printable).join("; ")}.`]),
    ...(secrets.includes(IDENTITY_SECRET)
      ? ["Nobody has to prove who they are (identity.required) until there is an identity secret again."]
      : []),
    ...(forgottenSuppressions === 0
      ? []
      : [
          `${counted(forgottenSuppressions, "suppression")} of erased users could not come along: only a hash of the address was kept, of the old project.`,
        ]),
  ];
}

function importText(imported: Imported): string {
  const { keys, name, from, counts } = imported;
  const records = Object.entries(counts).map(([type, count]) => `${String(count).padStart(10)}  ${type}`);
  const differences = differencesOf(imported).map((line) => `- ${line}`);
  return [
    pairLines(keys),
    "",
    `Imported ${printable(name)}, from project ${from.id}:`,
    ...records,
    "",
    ...differences,
  ].join("\n");
}

/** The origin from which images are served, as far as a command can know it. */
const originOf = ({ publicUrl, host, port }: Config): string =>
  publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

type ImportOptions = { name?: string; json?: true };

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  yield* file.createReadStream();
}

async function runImport(
  tables: readonly Table[],
  path: string | undefined,
  { name, json }: ImportOptions,
): Promise<void> {
  await withDatabase(
    async ({ database }, config) => {
      const source = path === undefined ? process.stdin : bytesOf(path);
      const importing = {
        tables,
        name: name ?? null,
        publicUrl: originOf(config),
        now: Date.now(),
        limits: config.limits,
      };
      const act = importProject(database.kysely, secretsOnUse(config), source, importing);
      const imported = await orConfigError(act).catch((cause: unknown) => {
        const { syscall, code } = cause as NodeJS.ErrnoException;
        if (path === undefined || syscall === undefined || !["open", "read"].includes(syscall)) throw cause;
        throw new ConfigError(`${resolve(path)} cannot be read: ${code}.`, { cause });
      });
      if (!json) return say(importText(imported));
      const { keys, name: called, from, counts, paused, forgottenSuppressions, secrets } = imported;
      const secretsMissing = secrets === "in clear" ? [] : secrets;
      say({ ...keys, name: called, from: from.id, counts, paused, forgottenSuppressions, secretsMissing });
    },
    { begins: true },
  );
}

/** `tidings export` and `tidings import`. */
export const exportImportCommands: AddCommands = (program, { ask }) => {
  program
    .command("export")
    .description("write a whole project, as it is at one instant, as one JSON object per line")
    .addOption(projectOption())
    .option("--out <file>", "where to; by default standard output")
    .option("--with-secrets", "write passwords and keys in clear; else they are left out and named")
    .addHelpText(
      "after",
      "\nWorks beside a running server. It never holds API keys, nor what belongs to the organization.\nSee docs/backup.md.",
    )
    .action((options: ExportOptions) => runExport(ask(houseTables)(), options));
  program
    .command("import")
    .description("make a new project of an export, all or nothing; its keys are printed this once")
    .argument("[file]", "the export; by default standard input")
    .option("--name <name>", "what people call the new project; by default as the old one", nameOption)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nWorks beside a running server. Campaigns that ran come in paused, and nothing that was waiting leaves by itself.\nUsers, events, deliveries and statistics are the same; ids and keys are new. A second import makes a second project.\nSet PUBLIC_URL as the server does: images of messages are served from there. See docs/backup.md.",
    )
    .action((path: string | undefined, options: ImportOptions) =>
      runImport(ask(houseTables)(), path, options),
    );
};
