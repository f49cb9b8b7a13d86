import { userInfo } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { type Config, loadConfig } from "../config.ts";
import { createLog, type Log } from "../log.ts";
import { type Connection, type ConnectOptions, connectCommand } from "./connect.ts";

/** What a feature brings to the command line: adds its commands to `tidings`. */
export type AddCommands = (program: Command) => void;

/** Prints what a command was asked for: a text as it is, anything else as JSON. */
export const say = (value: unknown): void =>
  console.log(typeof value === "string" ? value : JSON.stringify(value, null, 2));

/**
 * A command on the database: beside a running server, or alone. Only one that `begins` something (a project, a schema) may find no
 * database and make it; for the others there would be nothing in it.
 */
export async function withDatabase(
  act: (connection: Connection, config: Config, log: Log) => Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  const config = loadConfig(process.env);
  const log = createLog("warn", config.logFile);
  const connection = await connectCommand(config, log, options);
  try {
    await act(connection, config, log);
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

/** A name that people gave, as an option. */
export const named = (text: string): string => {
  if (text.trim() === "" || text.length > 80) throw new InvalidArgumentError("must be 1 to 80 characters.");
  return text;
};

/** How many at most, as an option. */
export const count = (typed: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(typed))
    throw new InvalidArgumentError("must be a whole number from 1 to 99999.");
  return Number(typed);
};

/** A span of time, as an option. */
export const minutes = (typed: string): number => {
  if (!/^\d{1,6}$/.test(typed)) throw new InvalidArgumentError("must be a whole number of minutes.");
  return Number(typed);
};

/** Whoever is logged in here, where nobody says who they are. */
export function whoever(): string {
  try {
    return userInfo().username;
  } catch {
    return "command";
  }
}

/** What strangers said or chose, without what a terminal would obey. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, "?");
