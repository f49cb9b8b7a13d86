import { aloneLoop } from "../../../platform/alone-loop.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { type Db, isUnreachable, sqlState } from "../../../platform/db/db.ts";
import { lockProjectUntilCommit } from "../../../platform/db/lock.ts";
import { savepoint } from "../../../platform/db/savepoint.ts";
import { wake } from "../../../platform/loops.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import {
  addNotes,
  ageOfNotes,
  deleteNotes,
  findNotedAcrossProjects,
  findPiece,
  putAside,
  type RollupLimits,
} from "./fold-store.ts";

/** What is done with a note that cannot be added up. */
type OnFault = (noteId: number, cause: unknown) => Promise<void>;

/** Whether an error is about what a note says (PostgreSQL, appendix A: data, integrity, limits), rather than about the moment. */
const isFaulty = (error: unknown): boolean => /^(22|23|54)/.test(sqlState(error) ?? "");

/** Adds notes up; where they are refused, halves, in order, until it is known which one is at fault. */
async function addSound(
  tx: Db,
  projectId: string,
  { ids, limits, onFault }: { ids: readonly number[]; limits: RollupLimits; onFault: OnFault },
): Promise<void> {
  try {
    await savepoint(tx, "notes", () => addNotes(tx, projectId, ids, limits));
  } catch (error) {
    const [first] = ids;
    if (first === undefined || !isFaulty(error)) throw error;
    if (ids.length === 1) return onFault(first, error);
    const half = Math.ceil(ids.length / 2);
    await addSound(tx, projectId, { ids: ids.slice(0, half), limits, onFault });
    await addSound(tx, projectId, { ids: ids.slice(half), limits, onFault });
  }
}

/** Adds the next notes of a project up, as many as one transaction should; says whether there are more. */
async function addPiece(
  tx: Db,
  projectId: string,
  { limits, onFault }: { limits: RollupLimits; onFault: OnFault },
): Promise<boolean> {
  const { ids, hasMore } = await findPiece(tx, projectId);
  if (ids.length === 0) return false;
  await addSound(tx, projectId, { ids, limits, onFault });
  await deleteNotes(tx, projectId, ids);
  return hasMore;
}

/**
 * Adds all notes of a project up within a transaction that nobody else sees anything of, such as an import.
 * `onFault` is given the place of a note, from 0, among the project's notes, and has to throw.
 */
export async function foldNotesWithin(
  tx: Db,
  projectId: string,
  { limits, onFault }: { limits: RollupLimits; onFault: (place: number, cause: unknown) => never },
): Promise<void> {
  let done = 0;
  for (;;) {
    const { ids, hasMore } = await findPiece(tx, projectId);
    const refuse: OnFault = async (noteId, cause) => onFault(done + ids.indexOf(noteId), cause);
    if (ids.length > 0) await addSound(tx, projectId, { ids, limits, onFault: refuse });
    await deleteNotes(tx, projectId, ids);
    done += ids.length;
    if (!hasMore) return;
  }
}

/** `busy`: somebody else was at the project's notes all the time. */
type Turn = "done" | "more" | "busy";

/** One piece of a project's notes, in a transaction of its own, which waits `waitMs` at most for others that are at them. */
function foldPiece(app: App, projectId: string, waitMs: number): Promise<Turn> {
  const { database, log, config } = app;
  return database.kysely.transaction().execute(async (tx): Promise<Turn> => {
    if (!(await lockProjectUntilCommit(tx, "foldNotes", { projectId, waitMs }))) return "busy";
    const hasMore = await addPiece(tx, projectId, {
      limits: config.limits,
      async onFault(noteId, cause) {
        log.error({ err: cause, projectId, noteId }, "a note could not be added to the rollups: put aside");
        await putAside(tx, projectId, noteId, cause instanceof Error ? cause.message : String(cause));
      },
    });
    return hasMore ? "more" : "done";
  });
}

const BACKGROUND_WAIT_MS = SECOND_MS;
/** How long one turn goes on; the next one follows within a minute. */
const TURN_MS = 50 * SECOND_MS;

/**
 * Adds the notes of every project up, a piece of each in turn, so that no project waits for all of another's. A project whose notes
 * cannot be added now is left to the next turn.
 */
export async function foldNotes(app: App, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + TURN_MS;
  let projects = await findNotedAcrossProjects(app.database.kysely);
  while (projects.length > 0 && performance.now() < until && !signal?.aborted) {
    const unfinished: string[] = [];
    for (const projectId of projects) {
      try {
        if ((await foldPiece(app, projectId, BACKGROUND_WAIT_MS)) === "more") unfinished.push(projectId);
      } catch (cause) {
        if (isUnreachable(cause)) throw cause;
        app.log.error({ err: cause, projectId }, "the notes of a project could not be added to its rollups");
      }
    }
    projects = unfinished;
  }
}

export const foldLoop = aloneLoop({
  name: "fold rollups",
  everyMs: MINUTE_MS,
  turn: foldNotes,
});

/** How long a reader goes on adding up what its own project has left. */
const READER_MS = SECOND_MS;

/** Says whether all that was noted before is in the rollups now. */
async function catchUp(app: App, projectId: string): Promise<boolean> {
  const until = performance.now() + READER_MS;
  for (;;) {
    const left = Math.ceil(until - performance.now());
    if (left <= 0) return false;
    try {
      const turn = await foldPiece(app, projectId, left);
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

/** Of each project, what readers wait for: the turn that is under way, and the one after it. */
const readers = resource(() => new Map<string, Turns>());

/** One turn of a project at a time in this process, however many ask: a turn that began before does not know what they wrote. */
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

/** Up to when (epoch milliseconds) the rollups have counted everything; nothing where they lack nothing. */
type CountedThrough = { countedThrough?: number };

/**
 * Adds up what a project's users did since, before somebody reads its rollups: all of it where that takes a second or less, which is
 * the normal case. No other project's notes are touched or waited for. Says how far the rollups are behind where something is left.
 * @param now epoch milliseconds
 */
export async function bringUpToDate(app: App, projectId: string, now: number): Promise<CountedThrough> {
  const { kysely } = app.database;
  if ((await ageOfNotes(kysely, projectId)) === null) return {};
  if (await catchUpTogether(app, projectId)) return {};
  const age = await ageOfNotes(kysely, projectId);
  return age === null ? {} : { countedThrough: now - age };
}

/** Notes that one process lets gather before it wakes the fold: what a reader may find, and has to fold, stays small. */
const MAX_NOTES = 1_000;

const gathered = resource(() => ({ notes: 0 }));

/** Called after every statement that notes something down. */
export function noted(app: App): void {
  const since = app.get(gathered);
  since.notes++;
  if (since.notes < MAX_NOTES) return;
  since.notes = 0;
  wake(app, foldLoop);
}
