import type pg from "pg";
import { readBuild } from "../../build.ts";
import { ConfigError } from "../../config.ts";
import { forgetMove, type Move, moveFile, readMove, writeMove } from "../embedded/moved.ts";
import { faultOf } from "../external/fault.ts";
import { commitMove, findFate } from "./commit-move.ts";
import { type MovedBetween, type MovedRows, type MovingRows, moveRows } from "./move-rows.ts";
import { readWitnesses } from "./witnesses.ts";

/** A move of the data of a folder to another database. */
export type MoveOut = {
  between: MovedBetween;
  how: MovingRows;
  dataDir: string;
  /** Where to, without credentials: `db.example.com/tidings`. */
  to: string;
  /** What named the address, for refusals. */
  setting: string;
  /** A further connection to the other database. */
  connect: () => pg.Client;
};

/** Moves the rows, in a transaction that is still open. @throws ConfigError, in one line, where that failed: then nothing is there */
async function moveOpenly({ between, how, setting, dataDir }: MoveOut): Promise<MovedRows> {
  try {
    if ((await readWitnesses(between.source)).length === 0)
      throw new ConfigError(`there is no project in DATA_DIR ${dataDir} yet. Start on the other database.`);
    return await moveRows(between, how);
  } catch (cause) {
    const fault = cause instanceof ConfigError ? cause.message : `${faultOf(cause, setting)}.`;
    throw new ConfigError(`Nothing was moved: ${fault}`, { cause });
  }
}

/** Does all of a move but its commit, and undoes it. */
export async function rehearseMove(move: MoveOut): Promise<MovedRows> {
  const moved = await moveOpenly(move);
  await move.between.target.query("rollback");
  return moved;
}

/**
 * Moves the data, or finishes a move that was interrupted at its last step; null where that one had brought all of it there. That the data
 * is elsewhere is written down before it is committed there, so that whatever happens the two are never both served.
 */
export async function moveOut(move: MoveOut): Promise<MovedRows | null> {
  const { between, dataDir, to, connect } = move;
  if (await finishEarlier(move)) return null;
  const moved = await moveOpenly(move);
  const { version } = await readBuild();
  const written: Move = { to, at: new Date().toISOString(), version, state: "ending" };
  writeMove(dataDir, written);
  const { fate, cause } = await commitMove(between, connect);
  if (fate === "unknown") throw unknownFate(move);
  if (fate === "absent") {
    forgetMove(dataDir);
    throw new ConfigError(`Nothing was moved: ${faultOf(cause, move.setting)}.`, { cause });
  }
  finish(move, written);
  return moved;
}

function finish({ dataDir, to }: MoveOut, written: Move): void {
  try {
    writeMove(dataDir, { ...written, state: "done" });
  } catch (cause) {
    throw new ConfigError(
      `All data is in ${to}, but ${moveFile(dataDir)} could not be written (${faultOf(cause)}): run the same command again, which finishes.`,
      { cause },
    );
  }
}

/** Whether an earlier move was interrupted at its last step, and had brought everything over. */
async function finishEarlier(move: MoveOut): Promise<boolean> {
  const earlier = readMove(move.dataDir);
  if (earlier === null) return false;
  if (earlier.to !== move.to)
    throw new ConfigError(
      `An earlier move to ${earlier.to} was interrupted at its last step: name that database, so that it is found out whether the data is there. Where its table organizations is empty, remove ${moveFile(move.dataDir)} instead.`,
    );
  const fate = await findFate(move.connect, await readWitnesses(move.between.source));
  if (fate === "unknown") throw unknownFate(move);
  if (fate === "there") {
    finish(move, earlier);
    return true;
  }
  forgetMove(move.dataDir);
  move.how.report("An earlier move was interrupted, and brought nothing there: it is begun again.");
  return false;
}

const unknownFate = ({ dataDir, to }: MoveOut): ConfigError =>
  new ConfigError(
    `It is not known whether the data is in ${to}, which does not answer: run the same command again when it does, which finds out. Until then nothing is served from DATA_DIR ${dataDir}; if its table organizations is empty, removing ${moveFile(dataDir)} makes the data here serve again.`,
  );
