import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { type Config, loadConfig } from "../config.ts";
import { createLog, type Log } from "../log.ts";
import { notifyProcesses } from "../loops/changes-store.ts";
import type { App } from "../runtime.ts";
import { type ConnectOptions, connectCommand, type OpenedDatabase } from "./connect.ts";

/** Adds a feature's commands to `tidings`. `ports` has what higher features plugged in, for commands that need no server. */
export type AddCommands = (program: Command, ports: Pick<App, "ask">) => void;

/** Prints the result of a command: a text as it is, anything else as JSON. */
export const say = (value: unknown): void =>
  console.log(typeof value === "string" ? value : JSON.stringify(value, null, 2));

/**
 * Runs a command on the database, beside a running server or alone. Only a command that `begins` something (a project, a schema) may
 * make a database where there is none: any other would find it empty.
 */
export async function withDatabase(
  act: (connection: OpenedDatabase, config: Config, log: Log) => Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLog("warn", config.logFile);
  const connection = await connectCommand(config, log, options);
  try {
    await act(connection, config, log);
    // What the command changed may be work for loops of processes that run.
    await notifyProcesses(connection.database.background.pool, "command");
  } finally {
    await connection.close();
  }
}

/** Names and values, one pair a line, the values below each other. */
export const pairLines = (pairs: Readonly<Record<string, string | number>>): string => {
  const width = Math.max(...Object.keys(pairs).map((name) => name.length));
  return Object.entries(pairs)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
};

/** An option that is a name, given by a person. */
export const nameOption = (text: string): string => {
  if (text.trim() === "" || text.length > 80) throw new InvalidArgumentError("must be 1 to 80 characters.");
  return text;
};

/** An option that is a greatest number of lines. */
export const countOption = (typed: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(typed))
    throw new InvalidArgumentError("must be a whole number from 1 to 99999.");
  return Number(typed);
};

/** The name of the user of the operating system, for commands that are not given one. */
export function operatingUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "command";
  }
}

/** A text from outside without control characters, which a terminal would obey. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, "?");
