import { type Logger, pino } from "pino";

export type Log = Logger;

/** JSON lines on stderr, so that stdout stays for what a command was asked to print. */
export function createLog(level: string): Log {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: level === "silent" }));
}
