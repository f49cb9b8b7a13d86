import { type Logger, pino } from "pino";

export type Log = Logger;

type Described = { type: string; message: string; stack?: string; code?: unknown; cause?: Described };

/** What may be logged of an error. Drivers hang whole clients on theirs, password included. */
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

/** JSON lines on stderr, so that stdout stays for what a command was asked to print. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, serializers: { err: describe } },
    pino.destination({ fd: 2, sync: level === "silent" }),
  );
}
