import { beginningOf } from "@tidings/client/text";
import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { processes } from "../../../platform/loops/processes.ts";
import { projectLoop } from "../../../platform/loops/project-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { clockWatch } from "../../../platform/time/clock-watch.ts";
import { CLOCKS_DIFFER_MS } from "../../../platform/time/far-ahead.ts";
import { FILE_FORMATS, type FileFormat } from "../../extracts/schema.ts";
import { announce } from "../../webhooks/public.ts";
import { placeOf } from "../places/open-place.ts";
import { type OpenPlace, PlaceFault } from "../places/place.ts";
import {
  type Every,
  type ListProgress,
  nextWindow,
  nextWindowAt,
  type SyncListName,
  waitAfter,
} from "../rules.ts";
import { MOST_FAULT } from "../schema.ts";
import { listSyncRows, type SyncRow } from "../store.ts";
import { findDueSyncsAcrossProjects, keepFailure, keepSuccess, releaseSync, takeSync } from "./turn-store.ts";
import {
  beginWindow,
  findOpenWindow,
  type OpenWindow,
  readProgress,
  readReadableUntil,
  type Writer,
} from "./windows-store.ts";
import { GivenUp, type Writing, writeWindow } from "./write-window.ts";

/** Projects for which one process writes at the same time. */
const PROJECTS_AT_ONCE = 2;
/** The furthest ahead that a sync is due: the next day, and the pause behind a window. */
const LONGEST_WAIT_MS = DAY_MS + HOUR_MS;

/** How far a list of a sync is. */
async function progressOf(db: Db, sync: SyncRow, list: SyncListName): Promise<ListProgress> {
  const found = await readProgress(db, sync.projectId, [sync.id]);
  const doneUntil = found.find((each) => each.list === list)?.doneUntil ?? null;
  return { list, every: sync.every as Every, begins: sync.beginsAt, doneUntil };
}

/** The window to write now, which another process may have begun; null where there is none yet. */
async function openNext(
  app: App,
  sync: SyncRow,
  writer: Writer,
  list: SyncListName,
): Promise<OpenWindow | null> {
  const { kysely: db } = app.database.background;
  const { projectId } = sync;
  const open = await findOpenWindow(db, projectId, { syncId: sync.id, list });
  if (open !== null) return open;
  const progress = await progressOf(db, sync, list);
  // A window that a clock closes which is ahead has none of what comes until then. The first one waits only where the clocks are known to differ.
  const watch = app.get(clockWatch);
  if (progress.doneUntil === null ? watch.isApart() : !watch.isTrusted()) return null;
  const window = nextWindow(progress, await readReadableUntil(db));
  if (window === null) return null;
  const begun = { ...window, list, begunAt: app.clock() };
  if (!(await beginWindow(db, projectId, writer, begun))) throw new GivenUp();
  return { ...begun, files: [], readTo: null };
}

/** When a sync that has written all that was due has something to write again, by the clock of this process (epoch ms). */
async function nextDueAt(app: App, sync: SyncRow): Promise<number> {
  const { kysely: db } = app.database.background;
  const { now } = await readReadableUntil(db);
  const progress = await Promise.all(sync.lists.map((list) => progressOf(db, sync, list as SyncListName)));
  const next = Math.min(...progress.map((each) => nextWindowAt(each, now)));
  // What could not be read yet, because something is still being recorded, is looked at again soon.
  return app.clock() + Math.max(10 * SECOND_MS, next - now);
}

/** Why an attempt failed, as a sentence for people. What is no fault of the place is in the log. */
const faultOf = (cause: unknown): string =>
  cause instanceof PlaceFault
    ? beginningOf(cause.message, MOST_FAULT)
    : "The files could not be written. The log of the server says why.";

/** Writes all windows of a list that can be written. */
async function writeList(sync: SyncRow, writing: Writing, list: SyncListName): Promise<void> {
  while (!writing.signal.aborted) {
    const window = await openNext(writing.app, sync, writing.writer, list);
    if (window === null) return;
    await writeWindow(writing, window);
  }
}

/** Attempts of a sync in a row that failed, and what becomes of it by one more. */
async function recordFailure(app: App, sync: SyncRow, leaseOwner: string, failures: number, cause: unknown) {
  const { id, projectId } = sync;
  const fault = faultOf(cause);
  app.log[cause instanceof PlaceFault ? "info" : "error"](
    { err: cause, projectId, sync: apiId("sync", id) },
    "a sync cannot write its files",
  );
  const now = app.clock();
  const failed = { id, leaseOwner, at: now, dueAt: now + waitAfter(failures), failures, fault };
  await app.database.background.kysely.transaction().execute(async (tx) => {
    if (!(await keepFailure(tx, projectId, failed))) return;
    await announce(tx, projectId, {
      type: "sync.failed",
      object: id,
      campaignId: null,
      at: now,
      data: { syncId: apiId("sync", id), fault },
    });
  });
}

/** How long a file that is on its way when the process is to stop may take: without it, the file would be sent once more. */
const LAST_FILE_MS = 5 * SECOND_MS;

/** A signal that comes so long after another one. */
function someTimeAfter(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const wait = (): void => void setTimeout(() => late.abort(), LAST_FILE_MS).unref();
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  return late.signal;
}

async function writeAll(app: App, sync: SyncRow, leaseOwner: string, signal: AbortSignal): Promise<void> {
  const { id, projectId, lists } = sync;
  const { kysely: db } = app.database.background;
  const writer = { syncId: id, leaseOwner };
  let { failures } = sync;
  async function progressed(): Promise<void> {
    failures = 0;
  }
  const format = FILE_FORMATS.find((each) => each === sync.format) as FileFormat;
  let first: unknown = null;
  let place: OpenPlace | null = null;
  for (const list of lists as readonly SyncListName[]) {
    try {
      place ??= placeOf(app, sync, someTimeAfter(signal));
      await writeList(sync, { app, projectId, writer, place, format, signal, progressed }, list);
    } catch (cause) {
      // Where this process is to stop, another one goes on.
      if (cause instanceof GivenUp || signal.aborted) return;
      first ??= cause;
      // A place that does not take one list takes no other; one list that cannot be read keeps no other one back.
      if (cause instanceof PlaceFault) break;
    }
  }
  if (first !== null) return recordFailure(app, sync, leaseOwner, failures + 1, first);
  if (signal.aborted) return;
  await keepSuccess(db, projectId, { id, leaseOwner, at: app.clock(), dueAt: await nextDueAt(app, sync) });
}

/** Writes what is due of a sync, unless another process does. Answers whether it did. */
export async function writeSync(
  app: App,
  projectId: string,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { kysely: db } = app.database.background;
  const leaseOwner = app.get(processes).leaseOwner();
  if (!(await takeSync(db, projectId, { id, leaseOwner }))) return false;
  try {
    const [sync] = await listSyncRows(db, projectId, id);
    if (sync !== undefined) await writeAll(app, sync, leaseOwner, signal);
  } finally {
    await releaseSync(db, projectId, { id, leaseOwner });
  }
  return true;
}

/** Writes the files of syncs: those of one project one after the other. */
export const syncLoop = projectLoop({
  name: "write the files of syncs",
  restMs: SECOND_MS,
  atOnce: PROJECTS_AT_ONCE,
  find: (app, { now, until, busy }) =>
    findDueSyncsAcrossProjects(app.database.background.kysely, {
      until,
      farAhead: now + LONGEST_WAIT_MS + CLOCKS_DIFFER_MS,
      busy,
      leaseOwner: app.get(processes).leaseOwner(),
    }),
  async turn(app, projectId, due, signal) {
    let did = false;
    for (const { id } of due) did = (await writeSync(app, projectId, id, signal)) || did;
    return did;
  },
});
