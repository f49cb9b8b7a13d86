import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { isAlive } from "../../src/platform/db/embedded/postmaster.ts";
import { makeMigratedFolder } from "../data-folder.ts";
import { keepSecrets, keepSecretsOfStart, keepStderr, logFile } from "../secrets/secrets-of-the-run.ts";
import { endHosts, runHosted } from "./hosts.ts";
import { describeStuck, hasEnded, REPORTS } from "./stuck.ts";

const BIN = new URL("../../bin/tidings.mjs", import.meta.url).pathname;
const ROOT = new URL("../../../..", import.meta.url).pathname;

type Environment = Readonly<Record<string, string>>;

/** How a process ended, and all that it printed. */
export type Ended = { code: number | null; stdout: string; stderr: string };

/** A running `tidings serve`. */
export type Spawned = {
  url: string;
  child: ChildProcess;
  /** What it printed at its start. */
  welcome: string;
  ended: Promise<Ended>;
};

/** DATA_DIR of those that have a database elsewhere: their first project's keys go there. */
const NOWHERE = join(tmpdir(), `tidings-nowhere-${process.pid}`);

const children = new Set<ChildProcess>();
const folders = new Set<string>();

/** Polls until a condition is true; fails after `withinMs`. */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  what: string,
  withinMs = 60_000,
): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(25)) if (await isSo()) return;
  assert.fail(`Not within ${withinMs} ms: ${what}`);
}

/** The process id of the PostgreSQL of a folder, or null. */
export function postmasterOf(dataDir: string): number | null {
  try {
    return Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
  } catch {
    return null;
  }
}

const FOLDER = "tidings-process-";

/** A new folder for data, with nothing in it. */
export async function newDataDir(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), FOLDER));
  folders.add(made);
  return made;
}

/** A new folder for data with a migrated database: for tests that are about something else than the first start. */
export async function migratedDataDir(): Promise<string> {
  const made = await makeMigratedFolder(FOLDER);
  folders.add(made);
  return made;
}

/** What a command finds in its environment: nothing of this process' own settings. */
function environmentOf(env: Environment): Readonly<Record<string, string | undefined>> {
  const log = logFile();
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: "0",
    LOG_LEVEL: "fatal",
    DATA_DIR: NOWHERE,
    ...(process.env.NODE_COMPILE_CACHE === undefined
      ? {}
      : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    ...(log === undefined ? {} : { LOG_FILE: log }),
    ...env,
  };
}

type Started = { child: ChildProcess; ended: Promise<Ended>; printed: Ended };

/** A program with its arguments, and the folder in which it runs. */
type Program = { command: string; args: readonly string[]; cwd: string };

function start(
  args: readonly string[],
  env: Environment,
  input: string | null = "",
  // No .env there.
  cwd = tmpdir(),
): Started {
  keepSecretsOfStart(env, args, input ?? "");
  return run({ command: process.execPath, args: [...REPORTS, BIN, ...args], cwd }, env, input);
}

function run({ command, args, cwd }: Program, env: Environment, input: string | null): Started {
  const child = spawn(command, args, {
    cwd,
    env: environmentOf(env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // What ends without reading its input closes it early, which is no fault.
  child.stdin?.on("error", () => undefined);
  if (input !== null) child.stdin?.end(input);
  children.add(child);
  const printed: Ended = { code: null, stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => {
    printed.stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    printed.stderr += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => {
    children.delete(child);
    keepStderr(printed.stderr);
    return { ...printed, code: code as number | null };
  });
  return { child, ended, printed };
}

/** Runs a command to its end in a process of its own, with a text as its standard input. */
export const tidingsAlone = (args: readonly string[], env: Environment, input?: string): Promise<Ended> =>
  start(args, env, input).ended;

/** Runs a command to its end in a process of its own, in a folder. */
export const tidingsIn = (folder: string, args: readonly string[], env: Environment): Promise<Ended> =>
  start(args, env, "", folder).ended;

/**
 * Runs a command to its end, with a text as its standard input: in a process that has run others before, which is several times
 * quicker. That goes for a `serve` too that is refused; one that starts needs a process of its own.
 */
export async function tidings(args: readonly string[], env: Environment, input = ""): Promise<Ended> {
  keepSecretsOfStart(env, args, input);
  const printed = await runHosted({ args, env: environmentOf(env), input });
  keepStderr(printed.stderr);
  return printed;
}

/** Starts a command and ends it with SIGKILL as soon as a condition is true. */
export async function killWhen(
  args: readonly string[],
  env: Environment,
  isSo: () => boolean,
): Promise<Ended> {
  const { child, ended } = start(args, env);
  while (!isSo() && !hasEnded(child)) await sleep(1);
  child.kill("SIGKILL");
  return ended;
}

/** Starts a command that is given the beginning of its input and waits for more. */
export function feed(
  args: readonly string[],
  env: Environment,
  beginning: string,
): { child: ChildProcess; ended: Promise<Ended> } {
  const { child, ended } = start(args, env, null);
  child.stdin?.write(beginning);
  return { child, ended };
}

const STARTS_MS = 60_000;

/** Waits until a process has said that it runs, or has ended; fails with all that is known of one that does neither. */
async function untilRunning({ child, printed }: Started, isRunning: () => boolean): Promise<void> {
  for (const end = Date.now() + STARTS_MS; Date.now() < end; await sleep(25))
    if (isRunning() || hasEnded(child)) return;
  assert.fail(`It did not start within ${STARTS_MS} ms: ${await describeStuck(child, printed)}`);
}

/** Starts the server; resolves when it says where it listens. */
export const serve = (env: Environment): Promise<Spawned> => serving(start(["serve"], env));

/** Starts the server by a script of package.json, without building its pages first. */
export function serveByNpm(env: Environment, script: "start" | "tidings"): Promise<Spawned> {
  const args = ["run", "--ignore-scripts", script, ...(script === "tidings" ? ["serve"] : [])];
  return serving(run({ command: "npm", args, cwd: ROOT }, env, ""));
}

async function serving(started: Started): Promise<Spawned> {
  const { child, ended, printed } = started;
  await untilRunning(started, () => / {2}(All keys|Secret key) .*\n/.test(printed.stdout));
  const url = /running at (\S+)/.exec(printed.stdout)?.[1];
  assert.ok(url, `The server did not start (${child.exitCode ?? child.signalCode}): ${printed.stderr}`);
  return { url, child, welcome: printed.stdout, ended };
}

/** Starts a process that answers no requests; resolves when it says that it works. */
export async function work(
  env: Environment,
  role: "worker" | "agent" = "worker",
): Promise<Pick<Spawned, "child" | "ended">> {
  const started = start(["serve"], { ...env, ROLES: role, LOG_LEVEL: "info" });
  const { child, ended, printed } = started;
  await untilRunning(started, () => printed.stderr.includes("working jobs"));
  const end = child.exitCode ?? child.signalCode;
  assert.equal(end, null, `The worker did not start (${end}): ${printed.stderr}`);
  return { child, ended };
}

/** Asks the server to stop, and waits until it has. */
export async function stop({ child, ended }: Pick<Spawned, "child" | "ended">): Promise<Ended> {
  child.kill("SIGTERM");
  return ended;
}

/** What one statement finds in the embedded database of a folder, beside the process that serves it. */
export async function ask<Row extends pg.QueryResultRow>(
  dataDir: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const address = embeddedAddress(dataDir);
  const client = new pg.Client("host" in address ? address : {});
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** The address of the mail catcher that a start printed. */
export function mailCatcherOf({ welcome }: Pick<Spawned, "welcome">): string {
  const address = / {2}Outbox +(\S+)/.exec(welcome)?.[1];
  assert.ok(address, `an outbox in ${welcome}`);
  return address;
}

/** The mail catcher by that address: what it answers to a browser, which keeps the token in a cookie. */
export async function printedMailCatcher(server: Pick<Spawned, "welcome">): Promise<Response> {
  const address = mailCatcherOf(server);
  const { headers } = await fetch(address, { redirect: "manual" });
  const [cookie = ""] = headers.getSetCookie();
  return fetch(new URL(headers.get("location") ?? "", address), {
    headers: { cookie: cookie.replace(/;.*/s, "") },
  });
}

/** The keys that a first start made. */
export const keysOf = ({ welcome }: Spawned): ProjectKeys => keysFrom(welcome);

/** The keys of the file that a first start names: its output is no screen here, so it contains no secret key. */
export function keysFrom(welcome: string): ProjectKeys {
  const path = / {2}All keys +in (.+?) \(/.exec(welcome)?.[1];
  assert.ok(path, `a file of keys in ${welcome}`);
  const lines = readFileSync(path, "utf8");
  const find = (name: keyof ProjectKeys): string => {
    const found = new RegExp(`^${name} +(\\S+)$`, "m").exec(lines)?.[1];
    assert.ok(found, `${name} in ${lines}`);
    return found;
  };
  const keys = {
    projectId: find("projectId"),
    publishableKey: find("publishableKey"),
    secretKey: find("secretKey"),
    agentKey: find("agentKey"),
  };
  keepSecrets(keys.publishableKey, keys.secretKey, keys.agentKey);
  return keys;
}

/** What a command printed that did what it was asked; none of the tests' passwords is in it. */
export async function done(ended: Promise<Ended>): Promise<string> {
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.doesNotMatch(stdout, /hunter2/);
  return stdout;
}

/** A command that did nothing and printed why: in one line, and nowhere else. */
export async function refused(ended: Promise<Ended>, pattern: RegExp): Promise<void> {
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assertOneLine(stderr, pattern);
}

/** One line, without a trace of the code behind it. */
export function assertOneLine(text: string, pattern: RegExp): void {
  assert.match(text, pattern);
  assert.equal(text.trimEnd().split("\n").length, 1, text);
  assert.doesNotMatch(text, /\bat .+:\d+:\d+|node:internal|hunter2/);
}

/** Ends what is left of this file's processes, by their ids, and removes their folders. */
export async function cleanUp(): Promise<void> {
  await endHosts();
  for (const child of children) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  await rm(NOWHERE, { recursive: true, force: true });
  for (const dataDir of folders) {
    const pid = postmasterOf(dataDir);
    if (pid !== null && isAlive(pid)) {
      process.kill(pid, "SIGQUIT");
      await until(() => !isAlive(pid), "PostgreSQL is gone");
    }
    const address = embeddedAddress(dataDir);
    for (const left of [dataDir, ...("host" in address ? [address.host] : [])])
      await rm(left, { recursive: true, force: true });
  }
}
