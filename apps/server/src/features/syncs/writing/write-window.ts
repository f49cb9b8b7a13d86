import { apiId } from "../../../domain/ids.ts";
import { type PieceTurns, pieceTurns } from "../../../platform/pace/piece-turns.ts";
import type { App } from "../../../platform/runtime.ts";
import { writers } from "../../extracts/public.ts";
import { FILE_TYPES, type FileFormat } from "../../extracts/schema.ts";
import { jsonFile, type OpenPlace, type PlacedFile } from "../places/place.ts";
import { fileName, MANIFEST, type SyncListName } from "../rules.ts";
import {
  finishWindow,
  keepFile,
  type OpenWindow,
  stillHasSync,
  type Writer,
  type WrittenFile,
} from "./windows-store.ts";

/** Another process has the sync, or it was switched off: what comes next is not this process' to write. */
export class GivenUp extends Error {}

export type Writing = {
  app: App;
  projectId: string;
  writer: Writer;
  place: OpenPlace;
  format: FileFormat;
  signal: AbortSignal;
  /** Called when a file is in its place. */
  progressed(): Promise<void>;
};

/** Whether all of a window is in its files: the one that was written last says no place to go on from. */
const isRead = ({ files, readTo }: OpenWindow): boolean => files.length > 0 && readTo === null;

const manifestOf = (
  { writer, format }: Writing,
  { list, since, until, begunAt }: OpenWindow,
  files: readonly WrittenFile[],
): PlacedFile =>
  jsonFile({
    sync: apiId("sync", writer.syncId),
    list,
    format,
    // Of a list that is written whole, the rows are as they were read: from then on.
    ...(list === "events" ? { since, until } : { begunAt }),
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    files,
  });

/** How often it is seen whether a sync is this process' still, while a file is made of it, in milliseconds. */
const LOOK_EVERY_MS = 2_000;

/** Turns of the pages of a window, as long as the process has the sync. */
function turnsOf({ app, projectId, writer }: Writing): Pick<PieceTurns, "take"> {
  let lookedAt = performance.now();
  return {
    take: (signal, work) =>
      app.get(pieceTurns).take(signal, async (pace) => {
        if (performance.now() - lookedAt > LOOK_EVERY_MS) {
          lookedAt = performance.now();
          if (!(await stillHasSync(app.database.background.kysely, projectId, writer))) throw new GivenUp();
        }
        return work(pace);
      }),
  };
}

/**
 * Writes what is missing of a window: files, each put down before the next, and then the manifest. A process that goes on for another one writes the
 * file again in which that one may have been, under the same name.
 * @returns whether it is complete; it is not where `signal` was aborted @throws PlaceFault, GivenUp
 */
export async function writeWindow(writing: Writing, window: OpenWindow): Promise<boolean> {
  const { app, projectId, writer, place, format, signal } = writing;
  const { kysely: db } = app.database.background;
  const { list, since, until, folder } = window;
  const files = [...window.files];
  let isComplete = isRead(window);
  if (!isComplete) {
    const reading = { db, projectId, now: app.clock(), since, until };
    const parts = writers[list satisfies SyncListName](reading, {
      format,
      start: window.readTo,
      signal,
      turns: turnsOf(writing),
    });
    for await (const { data, sha256, rows, next } of parts) {
      const file = { name: fileName(files.length + 1, format), rows, bytes: data.length, sha256 };
      // A process that was suspended while it read must not write over the files of the one that went on.
      if (!(await stillHasSync(db, projectId, writer))) throw new GivenUp();
      await place.put(`${folder}/${file.name}`, { data, sha256, type: FILE_TYPES[format] });
      if (!(await keepFile(db, projectId, writer, { list, until, file, readTo: next }))) throw new GivenUp();
      files.push(file);
      isComplete = next === null;
      await writing.progressed();
    }
  }
  if (!isComplete) return false;
  await place.put(`${folder}/${MANIFEST}`, manifestOf(writing, window, files));
  if (!(await finishWindow(db, projectId, writer, { list, until, at: app.clock() }))) throw new GivenUp();
  return true;
}
