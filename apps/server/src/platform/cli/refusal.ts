import { ConfigError } from "../config.ts";
import { isUnreachable, sqlState } from "../db/db.ts";
import { adviceOn, faultOf } from "../db/external/fault.ts";
import { ApiError } from "../http/contract/errors.ts";

/** What a failed system call means to the person at the terminal, by its code. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left on the disk",
  EACCES: "this user may not do that",
  EPERM: "this user may not do that",
  EROFS: "the disk is read-only",
};

/**
 * The line that a command prints where it could not do its work; null for a fault of our own, which is printed with its stack.
 */
export function refusalOf(error: unknown): string | null {
  // A rule that the API has for requests as well refuses with an `ApiError`.
  if (error instanceof ConfigError || error instanceof ApiError) return error.message;
  if (!(error instanceof Error)) return null;
  const { code, path, message } = error as NodeJS.ErrnoException;
  const system = code === undefined ? undefined : SYSTEM[code];
  if (system !== undefined) return `${path ?? "A file"} cannot be used: ${system} (${code}).`;
  if (sqlState(error) === null && !isUnreachable(error)) return null;
  if (adviceOn(error) !== null) return `The database cannot be used: ${faultOf(error)}.`;
  return isUnreachable(error)
    ? `The database cannot be used at this moment: ${message || code}. Try again.`
    : null;
}
