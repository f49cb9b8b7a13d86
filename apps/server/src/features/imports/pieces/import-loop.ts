import { beginningOf } from "@tidings/client/text";
import { apiId } from "../../../domain/ids.ts";
import {
  type Connection,
  inTransaction,
  isContention,
  isLocked,
  isUnreachable,
} from "../../../platform/db/db.ts";
import { planForManyRows } from "../../../platform/db/many-rows.ts";
import { processes } from "../../../platform/loops/processes.ts";
import { projectLoop } from "../../../platform/loops/project-loop.ts";
import type { PiecePace } from "../../../platform/pace/pace.pure.ts";
import { pieceTurns } from "../../../platform/pace/piece-turns.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { eventsKeptFor } from "../../users/events/public.ts";
import { EVENTS_DAYS } from "../../users/events/settings.pure.ts";
import { openUpload, type UploadedFile } from "../file.ts";
import { compileMapping, MappingFault } from "../mapping/compile.pure.ts";
import { FileFault } from "../reading/file-bytes.ts";
import { type RecordPiece, readPieces } from "../reading/records.ts";
import {
  FileFormat,
  type ImportKind,
  ImportMapping,
  ImportOptions,
  PIECE_LINES,
  Preset,
  RefusalReason,
} from "../schema.ts";
import { findImport, type ImportRow, type RefusalRow } from "../store.ts";
import { type Judged, type Judging, judgeLines } from "./judge.ts";
import {
  failImport,
  findRunningAcrossProjects,
  finishPiece,
  forgetBroughtParts,
  keepRefusals,
  type PieceDone,
  reasonsText,
  refusalsText,
  releaseImport,
  takeImport,
} from "./piece-store.ts";
import { countReasons } from "./reasons.pure.ts";
import { tryPiece, writePiece } from "./write-piece.ts";

/** Refusals of an import that are kept; all are counted. */
const MOST_REFUSALS = 10_000;
/** Refusals of one line that are kept. */
const MOST_OF_A_LINE = 5;
/** Characters of an author in the log of addresses that get no mail. */
const MOST_AUTHOR = 80;
/** Projects whose files one process reads at the same time. */
const PROJECTS_AT_ONCE = 2;

/** Lines of a piece beside requests: judged and written within 20 to 40 ms, so that no request waits long for it. */
const LINES_BESIDE_REQUESTS = 200;

/** How often a process may begin to read a piece. A file that ends the process would end it again each time. */
const MOST_TRIES = 10;

/** The import was stopped, or another process reads it: what was written of the piece is taken back. */
class GivenUp extends Error {}

type Reading = { app: App; row: ImportRow; leaseOwner: string; judging: Omit<Judging, "now"> };

const refusalsOf = ({ outcomes, lines }: Judged): RefusalRow[] =>
  outcomes.flatMap((outcome, index) =>
    outcome === null || typeof outcome === "string"
      ? []
      : outcome
          .slice(0, MOST_OF_A_LINE)
          .map(({ field, rule, text }, place) => ({ line: lines[index] ?? 1, place, field, rule, text })),
  );

/** A piece that is judged: at `now` (epoch milliseconds), when the file was read to `readTo`. */
type JudgedPiece = RecordPiece & { judged: Judged; now: number; readTo: number };

/** Reads the next piece and judges it; null behind the last one. */
async function judgeNext(
  { app, judging }: Reading,
  pieces: AsyncGenerator<RecordPiece>,
  file: UploadedFile,
): Promise<JudgedPiece | null> {
  const { done, value: piece } = await pieces.next();
  if (done) return null;
  const now = app.clock();
  const judged = await judgeLines(app.database.background.kysely, piece.records, { ...judging, now });
  return { ...piece, judged, now, readTo: file.readTo() };
}

/** The same while the piece before is written: what fails then is found when it is awaited. */
function judgeAhead(...given: Parameters<typeof judgeNext>): ReturnType<typeof judgeNext> {
  const coming = judgeNext(...given);
  coming.catch(() => undefined);
  return coming;
}

/** Brings in a piece in one transaction, or only tries it. Answers the row of the import after it. */
async function bringPiece(
  { app, row, leaseOwner }: Reading,
  { records, next, isEnd, judged, now, readTo }: JudgedPiece,
): Promise<ImportRow> {
  const { projectId, id } = row;
  const reasonsBefore = RefusalReason.array().parse(row.reasons);
  const act = async (client: Connection): Promise<PieceDone> => {
    await planForManyRows(client);
    // A transaction that lost a race for rows is run again, from what was judged.
    const piece = { ...judged, outcomes: [...judged.outcomes] };
    if (row.isDryRun) await tryPiece(client, piece, { projectId, now });
    else await writePiece(app, client, piece, { projectId, now });
    const refusals = refusalsOf(piece);
    if (refusals.length > 0) {
      const kept = { projectId, importId: id, refusals: refusalsText(refusals), most: MOST_REFUSALS };
      await keepRefusals(client, kept);
    }
    const written = piece.outcomes.filter((outcome) => outcome === "written").length;
    const known = piece.outcomes.filter((outcome) => outcome === "known").length;
    const done: PieceDone = {
      projectId,
      id,
      leaseOwner,
      fromOffset: row.readOffset,
      fromLine: row.readLine,
      toOffset: next.offset,
      toLine: next.line,
      bytesRead: isEnd ? row.bytes : Math.max(row.bytesRead, Math.min(row.bytes, readTo)),
      written,
      known,
      refused: records.length - written - known,
      reasons: reasonsText(countReasons(reasonsBefore, piece)),
      isEnd,
      now,
    };
    const finished = await finishPiece(client, done);
    if (finished.length === 0) throw new GivenUp();
    return done;
  };
  const done = await inTransaction(app.database.background.pool, act);
  wakeAfterDelta(app);
  return {
    ...row,
    readOffset: done.toOffset,
    readLine: done.toLine,
    bytesRead: done.bytesRead,
    reasons: RefusalReason.array().parse(JSON.parse(done.reasons)),
  };
}

/** What a file is read by. @throws MappingFault where the columns do not fit any more */
async function judgingOf(app: App, row: ImportRow): Promise<Omit<Judging, "now">> {
  const { projectId } = row;
  const kind = row.kind as ImportKind;
  const [mapping, options] = [ImportMapping.parse(row.mapping), ImportOptions.parse(row.options)];
  const keptDays = await eventsKeptFor(app, projectId, EVENTS_DAYS.most * DAY_MS);
  const preset = Preset.nullable().parse(row.preset);
  const format = FileFormat.parse(row.format);
  return {
    projectId,
    readLine: compileMapping({ kind, mapping, options, format, preset, now: app.clock(), keptDays }),
    options,
    addressColumn: mapping.email ?? "",
    by: beginningOf(`import of ${row.name}`, MOST_AUTHOR),
  };
}

/** Reads an import to its end, piece by piece, until it is stopped. */
async function readOn(app: App, found: ImportRow, leaseOwner: string, signal: AbortSignal): Promise<void> {
  const { projectId, id } = found;
  const { kysely } = app.database.background;
  const { file, missing } = await openUpload(kysely, projectId, id);
  if (file.byteLength === 0 || missing !== null)
    throw new FileFault("Its bytes are not there any more: upload the file once more.");
  const judging = await judgingOf(app, found);
  const reading = { app, row: found, leaseOwner, judging };
  const from = { offset: found.readOffset, line: found.readLine };
  let mostLines = PIECE_LINES;
  const pieces = readPieces(file, FileFormat.parse(found.format), from, () => mostLines);
  // Whom an address belongs to may follow from the piece before, so that this piece is not judged before that one is written.
  const mayJudgeAhead = judging.options.id !== "match";
  let ahead = null as ReturnType<typeof judgeNext> | null;

  /** Brings in the next piece. Answers whether to go on. */
  async function bringNext({ isQuiet }: PiecePace): Promise<boolean> {
    // Where this was stopped while it rested, the next piece is left for later.
    if (signal.aborted && reading.row !== found) return false;
    // What a trial counts depends on its pieces, so that they stay as they are.
    mostLines = found.isDryRun || isQuiet ? PIECE_LINES : LINES_BESIDE_REQUESTS;
    const piece = await (ahead ?? judgeNext(reading, pieces, file));
    ahead = null;
    if (piece === null) return false;
    // Beside requests nothing is judged while this process rests for them, or while PostgreSQL works.
    if (mayJudgeAhead && isQuiet) ahead = judgeAhead(reading, pieces, file);
    reading.row = await bringPiece(reading, piece);
    return !signal.aborted;
  }

  try {
    while (await app.get(pieceTurns).take(signal, bringNext));
  } finally {
    // What was begun ends here, so that nothing asks the database behind the turn.
    await ahead?.catch(() => undefined);
    await pieces.return(undefined);
  }
}

const tooOften = ({ readLine }: ImportRow): string =>
  `The server stopped ${MOST_TRIES} times while it read what follows line ${readLine}: look into its log, and take these lines out of the file.`;

/** Why an import cannot go on, as a sentence for people; null where it may be tried again. */
function faultOf(cause: unknown, { readLine }: ImportRow): string | null {
  if (cause instanceof FileFault || cause instanceof MappingFault) return cause.message;
  if (isContention(cause) || isUnreachable(cause) || isLocked(cause)) return null;
  return `A piece from line ${readLine} on could not be written. The log of the server says why; a start goes on there.`;
}

/** Reads an import that runs, unless another process does. Answers whether it did. */
export async function readImport(
  app: App,
  projectId: string,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { kysely } = app.database.background;
  const leaseOwner = app.get(processes).leaseOwner();
  if (!(await takeImport(kysely, projectId, { id, leaseOwner }))) return false;
  const row = await findImport(kysely, projectId, id);
  if (row === null) return false;
  try {
    if (row.tries > MOST_TRIES) throw new FileFault(tooOften(row));
    await readOn(app, row, leaseOwner, signal);
    while (await forgetBroughtParts(kysely, projectId, id));
  } catch (cause) {
    if (cause instanceof GivenUp) return true;
    const now = await findImport(kysely, projectId, id);
    const fault = faultOf(cause, now ?? row);
    if (fault === null) throw cause;
    app.log[cause instanceof FileFault ? "info" : "error"](
      { err: cause, projectId, import: apiId("imp", id) },
      "an import cannot be read on",
    );
    await failImport(kysely, projectId, { id, leaseOwner, fault, at: app.clock() });
  } finally {
    await releaseImport(kysely, projectId, { id, leaseOwner });
  }
  return true;
}

/** Reads the files that were started: one of a project at a time, each in pieces of a transaction. */
export const importLoop = projectLoop({
  name: "bring in files",
  restMs: SECOND_MS,
  atOnce: PROJECTS_AT_ONCE,
  find: (app, { busy }) =>
    findRunningAcrossProjects(app.database.background.kysely, {
      busy,
      leaseOwner: app.get(processes).leaseOwner(),
    }),
  async turn(app, projectId, due, signal) {
    let did = false;
    for (const { id } of due) did = (await readImport(app, projectId, id, signal)) || did;
    return did;
  },
});
