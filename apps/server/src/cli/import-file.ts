import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beginningOf, counted } from "@tidings/client/text";
import { type Command, Option } from "commander";
import type { z } from "zod";
import { chosenProject, type ProjectOptions, projectOption } from "../features/access/public.ts";
import {
  createImport,
  getImport,
  lookAtImport,
  PART_BYTES,
  readImport,
  startImport,
  uploadImportPart,
} from "../features/imports/public.ts";
import { type Import, type ImportKind, PRESETS } from "../features/imports/schema.ts";
import { operatingUser, printable, say } from "../platform/cli/command.ts";
import { commandGroup } from "../platform/cli/command-group.ts";
import { ConfigError } from "../platform/config.ts";
import type { Endpoint } from "../platform/http/contract/endpoint.ts";
import { notifyProcesses } from "../platform/loops/changes-store.ts";
import { rolesThere } from "../platform/loops/processes.ts";
import type { App } from "../platform/runtime.ts";
import { SECOND_MS } from "../platform/time/clock.ts";
import { callOperation } from "./operations/call-operation.ts";
import { operationOptions } from "./operations/operation-options.ts";
import { withHouse } from "./with-house.ts";

type Options = ProjectOptions & {
  from?: string;
  mapping?: string;
  timeZone?: string;
  id?: string;
  whoLeft?: string;
  dryRun?: true;
  json?: true;
};

/** Characters of the name of an import. */
const MOST_NAME = 200;

/** Runs operations of a project for the operator, one after the other. */
type Call = (operation: Endpoint, given: Readonly<Record<string, unknown>>) => Promise<unknown>;

const callerOf =
  (app: App, projectId: string): Call =>
  async (operation, given) => {
    const options = operationOptions(operation);
    const answer = await callOperation(app, operation, { options, given, by: operatingUser(), projectId });
    return answer === "" ? null : JSON.parse(answer);
  };

const importIn = (answer: unknown): Import => (answer as { import: Import }).import;

type OpenFile = Awaited<ReturnType<typeof open>>;

/** The bytes of a file from one place on: less than a part has where it ends before. */
async function partAt(file: OpenFile, start: number): Promise<Buffer> {
  const bytes = Buffer.alloc(PART_BYTES);
  let length = 0;
  while (length < PART_BYTES) {
    const { bytesRead } = await file.read(bytes, length, PART_BYTES - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

async function openFile(path: string): Promise<OpenFile> {
  try {
    return await open(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`${printable(path)} cannot be read: ${code}.`, { cause });
  }
}

/** Uploads a file, or what is missing of it where that was begun before. */
async function upload(call: Call, path: string, kind: ImportKind, { from }: Options): Promise<Import> {
  const file = await openFile(path);
  try {
    const digest = createHash("sha256");
    let bytes = 0;
    for (let part = await partAt(file, 0); part.length > 0; part = await partAt(file, bytes)) {
      digest.update(part);
      bytes += part.length;
    }
    if (bytes === 0) throw new ConfigError(`${printable(path)} is empty.`);
    const begun = importIn(
      await call(createImport, {
        kind,
        name: beginningOf(basename(path), MOST_NAME),
        bytes,
        sha256: digest.digest("hex"),
        ...(from !== undefined && { preset: from }),
      }),
    );
    const there = new Set(begun.parts);
    for (let n = 1; (n - 1) * PART_BYTES < bytes; n++)
      if (!there.has(n)) {
        const part = await partAt(file, (n - 1) * PART_BYTES);
        await call(uploadImportPart, {
          id: begun.id,
          n: String(n),
          contentType: "application/octet-stream",
          data: part.toString("base64"),
        });
      }
    return begun;
  } finally {
    await file.close();
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(`${printable(path)} is no JSON that can be read.`, { cause });
  }
}

const progressOf = ({ lines, written, known, refused }: Import): string =>
  `${counted(lines, "line")}: ${written} written, ${known} known already, ${refused} refused`;

/** Waits until a started import ends. Without a server that works, this process reads it. */
async function untilItEnds(app: App, call: Call, projectId: string, id: string): Promise<Import> {
  const uuid = id.slice(id.indexOf("_") + 1);
  const { pool, kysely } = app.database.background;
  await notifyProcesses(pool, "command");
  const { worker } = await rolesThere(kysely);
  let shown = 0;
  for (;;) {
    if (!worker) await readImport(app, projectId, uuid, AbortSignal.any([]));
    const now = importIn(await call(getImport, { id }));
    if (now.state !== "running") return now;
    if (now.lines > shown) console.error(progressOf(now));
    shown = now.lines;
    await sleep(SECOND_MS);
  }
}

const reasonLines = ({ reasons }: Import): string[] =>
  reasons.map(
    ({ field, text, count, firstLine }) =>
      `${String(count).padStart(10)}  ${printable(field === "" ? "" : `${field}: `)}${printable(text)} (first in line ${firstLine})`,
  );

type Looked = z.input<NonNullable<(typeof lookAtImport)["spec"]["result"]>> & {
  warnings: string[];
  columns: { name: string; guess: string }[];
};

const lookLines = ({ columns, warnings }: Looked): string[] => [
  ...columns.map(({ name, guess }) => `  ${printable(name)}: ${printable(guess)}`),
  ...warnings.map((warning) => `Note: ${printable(warning)}`),
];

async function run(kind: ImportKind, path: string, options: Options): Promise<void> {
  await withHouse(async (app) => {
    const { id: projectId } = await chosenProject(app.database.kysely, options.project);
    const call = callerOf(app, projectId);
    const { id } = await upload(call, path, kind, options);
    const { from, mapping, timeZone, id: whose, whoLeft, dryRun = false } = options;
    const looked = (await call(lookAtImport, { id, ...(from !== undefined && { preset: from }) })) as Looked;
    if (!options.json) console.error(lookLines(looked).join("\n"));
    const given = { ...(timeZone !== undefined && { timeZone }), ...(whose !== undefined && { id: whose }) };
    await call(startImport, {
      id,
      dryRun,
      ...(from !== undefined && { preset: from }),
      ...(mapping !== undefined && { mapping: await readJson(mapping) }),
      ...(Object.keys(given).length > 0 && { options: given }),
      ...(whoLeft !== undefined && { whoLeft: whoLeft === "nobody" ? whoLeft : { importId: whoLeft } }),
    });
    const ended = await untilItEnds(app, call, projectId, id);
    if (ended.state !== "done") process.exitCode = 1;
    if (options.json) return say(ended);
    const verdict = {
      done: dryRun ? `Tried ${ended.name}, and wrote nothing.` : `Brought in ${ended.name} (${id}).`,
      failed: `${ended.name} cannot be read on: ${ended.fault}`,
      stopped: `${ended.name} was stopped.`,
      waiting: `${ended.name} waits.`,
      running: `${ended.name} is being read.`,
    }[ended.state];
    say([printable(verdict), `${progressOf(ended)}.`, ...reasonLines(ended)].join("\n"));
  });
}

const HELP = `
CSV, JSON lines or Parquet, gzip included, up to 2 GiB. What its columns mean is guessed, printed, and can be given by --mapping.
Nobody is active, billed or mailed by it. The same file again changes nothing, and goes on where it was interrupted.
Works beside a running server or alone. See docs/import.md.`;

const KINDS = [
  ["users", "bring in users from a file of another tool, or any other"],
  ["events", "bring in what users did"],
  ["suppressions", "bring in addresses that get no mail"],
] as const satisfies readonly (readonly [ImportKind, string])[];

/** Adds `users import`, `events import` and `suppressions import`. They need the whole house, because they run several operations. */
export function addImportFileCommands(program: Command): void {
  for (const [kind, description] of KINDS) {
    const command = commandGroup(program, kind)
      .command("import")
      .description(description)
      .argument("<file>", "the file")
      .addOption(projectOption())
      .addOption(new Option("--from <tool>", "the tool that wrote it").choices(PRESETS))
      .option("--mapping <file>", "what the columns mean, as JSON (ImportMapping of the API)")
      .option("--time-zone <zone>", "of times that name none, such as Europe/Berlin; UTC if not given")
      .option("--dry-run", "judge the lines, and write nothing")
      .option("--json", "print JSON")
      .addHelpText("after", HELP);
    if (kind !== "suppressions")
      command.addOption(
        new Option("--id <kind>", "who a line is about").choices(["column", "email", "match"]),
      );
    if (kind === "users")
      command.option(
        "--who-left <import>",
        "where those are who get no mail: the id of an import that brought them in, or nobody",
      );
    command.action((path: string, options: Options) => run(kind, path, options));
  }
}
