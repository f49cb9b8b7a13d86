import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ConfigError } from "../../config.ts";
import { writeDurably } from "../../files/durable-file.ts";
import { flushSync } from "../../files/flush.ts";

const Move = z.object({
  to: z.string(),
  at: z.iso.datetime(),
  version: z.string(),
  state: z.enum(["ending", "done"]),
});

/**
 * That the data of a folder went to another database. `to` names that without credentials (`db.example.com/tidings`). `ending` until it
 * is known that the other database has committed it: whatever happens in between, this folder is not served.
 */
export type Move = z.infer<typeof Move>;

/** Where a move out of a folder is written down. */
export const moveFile = (dataDir: string): string => join(dataDir, "moved.json");

/** The move out of a folder, or null where its data is its own. @throws ConfigError where the file says nothing that can be read */
export function readMove(dataDir: string): Move | null {
  const path = moveFile(dataDir);
  if (!existsSync(path)) return null;
  try {
    return Move.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new ConfigError(
      `${path} says that the data was moved to another database, and cannot be read: set DATABASE_URL to that database, or remove the file if there is none.`,
      { cause },
    );
  }
}

/** Writes down a move, in the place of what was there, so that a power cut leaves one or the other. */
export function writeMove(dataDir: string, move: Move): void {
  const unfinished = `${moveFile(dataDir)}.new-${randomBytes(8).toString("hex")}`;
  try {
    writeDurably(unfinished, `${JSON.stringify(move, null, 2)}\n`);
    renameSync(unfinished, moveFile(dataDir));
  } finally {
    rmSync(unfinished, { force: true });
  }
  flushSync(dataDir);
}

/** Makes the data of a folder its own again. */
export function forgetMove(dataDir: string): void {
  rmSync(moveFile(dataDir), { force: true });
  flushSync(dataDir);
}

/** Why a folder is not served any more, and what to do. */
function movedFault(dataDir: string, { to, at, state }: Move): string {
  const when = `${at.slice(0, 16).replace("T", " ")} UTC`;
  return state === "done"
    ? `The data of DATA_DIR ${dataDir} was moved to ${to} on ${when}: set DATABASE_URL to it. To go on with what is here instead, remove ${moveFile(dataDir)}.`
    : `A move of the data of DATA_DIR ${dataDir} to ${to} was interrupted at its last step, on ${when}: run the same "tidings move" again, which finds out whether all is there, and finishes. To go on with what is here instead, make sure that the table organizations there is empty, and remove ${moveFile(dataDir)}.`;
}

/** @throws ConfigError where the data of a folder was moved to another database, or may have been */
export function requireNotMoved(dataDir: string): void {
  const move = readMove(dataDir);
  if (move !== null) throw new ConfigError(movedFault(dataDir, move));
}
