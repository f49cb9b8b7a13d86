import { type Db, isUnreachable, sqlState } from "../../../platform/db/db.ts";
import { lockProjectUntilCommit } from "../../../platform/db/transactions/lock.ts";
import { savepoint } from "../../../platform/db/transactions/savepoint.ts";
import { aloneLoop } from "../../../platform/loops/alone-loop.ts";
import { wake } from "../../../platform/loops/loops.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import {
  type Applying,
  addDeltas,
  ageOfDeltas,
  deleteDeltas,
  findPendingAcrossProjects,
  findPiece,
  putAside,
} from "./apply-store.ts";

/** Called for a delta that the database refuses to apply. */
type OnFault = (deltaId: number, cause: unknown) => Promise<void>;

/** Whether an error is the fault of a delta's content (PostgreSQL, appendix A: data, integrity, limits), so that a repeat fails as well. */
const isFaulty = (error: unknown): boolean => /^(22|23|54)/.test(sqlState(error) ?? "");

/** Applies deltas in order. Where the database refuses them, tries each half of them, until it is known which delta is at fault. */
async function addSound(
  tx: Db,
  projectId: string,
  { ids, onFault, ...applying }: { ids: readonly number[]; onFault: OnFault } & Applying,
): Promise<void> {
  try {
    await savepoint(tx, "deltas", () => addDeltas(tx, projectId, ids, applying));
  } catch (error) {
    const [first] = ids;
    if (first === undefined || !isFaulty(error)) throw error;
    if (ids.length === 1) return onFault(first, error);
    const half = Math.ceil(ids.length / 2);
    await addSound(tx, projectId, { ...applying, ids: ids.slice(0, half), onFault });
    await addSound(tx, projectId, { ...applying, ids: ids.slice(half), onFault });
  }
}

/** Applies the next deltas of a project, as many as one transaction should, and answers whether there are more. */
async function addPiece(
  tx: Db,
  projectId: string,
  applying: { onFault: OnFault } & Applying,
): Promise<boolean> {
  const { ids, hasMore } = await findPiece(tx, projectId);
  if (ids.length === 0) return false;
  await addSound(tx, projectId, { ...applying, ids });
  await deleteDeltas(tx, projectId, ids);
  return hasMore;
}

/**
 * Applies all deltas of a project within a transaction whose rows no other one sees yet, such as an import.
 * `onFault` gets the place of a delta among the project's deltas, from 0, and has to throw.
 */
export async function applyDeltasWithin(
  tx: Db,
  projectId: string,
  { onFault, ...applying }: { onFault: (place: number, cause: unknown) => never } & Applying,
): Promise<void> {
  let done = 0;
  for (;;) {
    const { ids, hasMore } = await findPiece(tx, projectId);
    const refuse: OnFault = async (deltaId, cause) => onFault(done + ids.indexOf(deltaId), cause);
    if (ids.length > 0) await addSound(tx, projectId, { ...applying, ids, onFault: refuse });
    await deleteDeltas(tx, projectId, ids);
    done += ids.length;
    if (!hasMore) return;
  }
}

/** `busy`: another transaction applied the project's deltas for the whole wait. */
type Turn = "done" | "more" | "busy";

/** Applies one piece of a project's deltas in a transaction of its own, which waits `waitMs` at most for another one that does so. */
function applyPiece(app: App, projectId: string, waitMs: number): Promise<Turn> {
  const { database, log, config } = app;
  return database.kysely.transaction().execute(async (tx): Promise<Turn> => {
    if (!(await lockProjectUntilCommit(tx, "applyDeltas", { projectId, waitMs }))) return "busy";
    const hasMore = await addPiece(tx, projectId, {
      limits: config.limits,
      now: app.clock(),
      async onFault(deltaId, cause) {
        log.error({ err: cause, projectId, deltaId }, "a delta could not be added to the rollups: put aside");
        await putAside(tx, projectId, deltaId, cause instanceof Error ? cause.message : String(cause));
      },
    });
    return hasMore ? "more" : "done";
  });
}

const BACKGROUND_WAIT_MS = SECOND_MS;
/** How long one turn goes on; the next one follows within a minute. */
const TURN_MS = 50 * SECOND_MS;

/**
 * Applies the deltas of every project, a piece of each in turn, so that no project waits for all of another's. A project whose deltas
 * cannot be applied now is left to the next turn.
 */
export async function applyDeltas(app: App, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + TURN_MS;
  let projects = await findPendingAcrossProjects(app.database.kysely);
  while (projects.length > 0 && performance.now() < until && !signal?.aborted) {
    const unfinished: string[] = [];
    for (const projectId of projects) {
      try {
        if ((await applyPiece(app, projectId, BACKGROUND_WAIT_MS)) === "more") unfinished.push(projectId);
      } catch (cause) {
        if (isUnreachable(cause)) throw cause;
        app.log.error({ err: cause, projectId }, "the deltas of a project could not be added to its rollups");
      }
    }
    projects = unfinished;
  }
}

export const deltaLoop = aloneLoop({
  name: "fold rollups",
  everyMs: MINUTE_MS,
  turn: applyDeltas,
});

/** How long a read goes on applying the deltas of its own project. */
const READER_MS = SECOND_MS;

/** Answers whether all earlier deltas of the project are in the rollups now. */
async function catchUp(app: App, projectId: string): Promise<boolean> {
  const until = performance.now() + READER_MS;
  for (;;) {
    const left = Math.ceil(until - performance.now());
    if (left <= 0) return false;
    try {
      const turn = await applyPiece(app, projectId, left);
      if (turn !== "more") return turn === "done";
    } catch (cause) {
      if (isUnreachable(cause)) throw cause;
      app.log.warn(
        { err: cause, projectId },
        "a reader could not bring the rollups of its project up to date",
      );
      return false;
    }
  }
}

type Turns = { running: Promise<boolean>; next: Promise<boolean> | null };

/** By project: the turn that is under way, and the one after it, which readers may wait for. */
const readers = resource(() => new Map<string, Turns>());

/**
 * One turn of a project at a time in this process, shared by all readers. A reader that comes during a turn waits for the next one: the
 * running one may have missed what its caller just wrote.
 */
function catchUpTogether(app: App, projectId: string): Promise<boolean> {
  const turns = app.get(readers);
  const begin = (): Promise<boolean> => {
    const turn: Turns = { running: catchUp(app, projectId), next: null };
    turns.set(projectId, turn);
    const end = (): void => {
      if (turns.get(projectId) === turn && turn.next === null) turns.delete(projectId);
    };
    turn.running.then(end, end);
    return turn.running;
  };
  const current = turns.get(projectId);
  if (current === undefined) return begin();
  current.next ??= current.running.then(begin, begin);
  return current.next;
}

/** Up to when (epoch milliseconds) the rollups have counted everything; absent where they are complete. */
type CountedThrough = { countedThrough?: number };

/**
 * Applies a project's deltas before its rollups are read: all of them where that takes a second or less, which is the normal case. Waits
 * for no other project's deltas. Answers how far the rollups are behind where deltas are left.
 * @param now epoch milliseconds
 */
export async function bringUpToDate(app: App, projectId: string, now: number): Promise<CountedThrough> {
  const { kysely } = app.database;
  if ((await ageOfDeltas(kysely, projectId)) === null) return {};
  if (await catchUpTogether(app, projectId)) return {};
  const age = await ageOfDeltas(kysely, projectId);
  return age === null ? {} : { countedThrough: now - age };
}

/** After so many statements with deltas a process wakes the loop, so that few deltas are left for a read to apply. */
const MAX_DELTAS = 1_000;

const gathered = resource(() => ({ deltas: 0 }));

/** Counts the statements that wrote a delta, and wakes the loop after every thousand. Called after each of them. */
export function wakeAfterDelta(app: App): void {
  const since = app.get(gathered);
  since.deltas++;
  if (since.deltas < MAX_DELTAS) return;
  since.deltas = 0;
  wake(app, deltaLoop);
}
