import { type Logger, pino } from "pino";
import { ConfigError } from "./config.ts";

export type Log = Logger;

type Described = { type: string; message: string; stack?: string; code?: unknown; cause?: Described };

/** The part of an error that may be logged: errors of drivers contain whole clients, password included. */
function describe(error: unknown): Described | string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? describe(error.cause) : null;
  return {
    type: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...("code" in error ? { code: error.code } : {}),
    ...(cause === null || typeof cause === "string" ? {} : { cause }),
  };
}

/** @throws ConfigError when the file cannot be written */
function openLogFile(file: string): pino.DestinationStream {
  try {
    return pino.destination({ dest: file, append: true, mode: 0o600, sync: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ConfigError(`LOG_FILE ${file} cannot be written: ${code}`, { cause });
  }
}

/**
 * JSON lines on stderr, so that stdout has only what a command prints.
 * @param file gets every line too, whatever the level; appended to, readable by its owner alone
 * @throws ConfigError when that file cannot be written
 */
export function createLog(level: string, file: string | null = null): Log {
  const stderr = pino.destination({ fd: 2, sync: level === "silent" });
  const options = { base: null, serializers: { err: describe } };
  if (file === null) return pino({ ...options, level }, stderr);
  // Written at once: the last lines before a kill are those that explain it.
  const kept = openLogFile(file);
  const streams = [
    { level: "trace", stream: kept },
    ...(level === "silent" ? [] : [{ level, stream: stderr }]),
  ];
  return pino({ ...options, level: "trace" }, pino.multistream(streams as pino.StreamEntry[]));
}
