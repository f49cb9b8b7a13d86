import { counted } from "@tidings/client/text";
import { z } from "zod";
import { apiId, uuidFor } from "../../domain/ids.ts";
import { SQLSTATE, sqlState } from "../../platform/db/db.ts";
import { type Ctx, endpoint, KIB } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { eventsKeptFor } from "../users/events/public.ts";
import { EVENTS_DAYS } from "../users/events/settings.pure.ts";
import { digestOf, openUpload, orRefused, type UploadedFile } from "./file.ts";
import { compileMapping } from "./mapping/compile.pure.ts";
import { guessMapping, resolveRest } from "./mapping/guess.pure.ts";
import { stopsKnown } from "./mapping/presets.pure.ts";
import { recognize } from "./reading/recognize.ts";
import { Import, type ImportKind, ImportMapping, ImportOptions, Leavers, Preset } from "./schema.ts";
import {
  deleteRefusals,
  findImport,
  findRunning,
  type ImportRow,
  lockImport,
  startReading,
} from "./store.ts";
import { authorOf, requireImport, toImport } from "./view.ts";

const conflict = (reason: string, message: string): ApiError =>
  new ApiError("conflict", message, { fields: { reason } });

const isRunning = (): ApiError => conflict("running", "A file of this project is being read: one at a time.");

/** The whole file of an import. @throws ApiError conflict where parts are missing, or the bytes are not those that were announced */
async function wholeFile({ db, projectId }: Ctx, row: ImportRow): Promise<UploadedFile> {
  const { file, missing } = await openUpload(db, projectId, row.id);
  if (file.byteLength === 0 || missing !== null)
    throw conflict(
      "incomplete",
      `Part ${missing ?? 1} is missing, or does not have 4 MiB although parts follow.`,
    );
  const { declaredBytes, declaredSha256 } = row;
  if (declaredBytes !== null && file.byteLength !== declaredBytes)
    throw conflict("incomplete", `${file.byteLength} of ${counted(declaredBytes, "byte")} are uploaded.`);
  if (declaredSha256 !== null && !(await digestOf(file)).equals(declaredSha256))
    throw conflict("incomplete", "The parts have another SHA-256 than the file: upload it once more.");
  return file;
}

/** Where those are who left, as it is kept. @throws ApiError conflict or invalid_request where it is needed and is not said, or is not so */
async function leaversIn(
  { db, projectId }: Ctx,
  given: z.output<typeof Leavers> | undefined,
): Promise<string | null> {
  if (given === undefined || given === "nobody") return given ?? null;
  const other = await findImport(db, projectId, uuidFor("imp", given.importId));
  const brings = other !== null && (other.kind === "suppressions" || hasStops(other));
  if (!brings || other.isDryRun || other.state !== "done")
    throw new ApiError(
      "invalid_request",
      "whoLeft.importId must be an import of this project that is done and brought in who gets no mail",
    );
  return apiId("imp", other.id);
}

const hasStops = ({ mapping }: ImportRow): boolean =>
  (ImportMapping.nullable().parse(mapping)?.suppressed ?? []).length > 0;

export const startImport = endpoint(
  {
    id: "startImport",
    method: "POST",
    path: "/api/v1/imports/{id}/start",
    audit: "brought in a file",
    tag: "Imports",
    summary: "Bring in a file, or try it",
    description:
      "Goes on where it was stopped, if nothing else is given than before, and begins anew otherwise: lines that are known change nothing. With `dryRun` its lines are judged and nothing is written. One file of a project at a time. A file of users with addresses that does not say who gets no mail needs `whoLeft`.",
    keys: ["secret"],
    people: "approver",
    budget: "imports",
    tool: "A model has no file to bring in.",
    bodyLimit: 256 * KIB,
    params: z.object({ id: pathId.describe("Id of the import.") }),
    body: z.object({
      dryRun: z.boolean().optional().describe("Only judge its lines."),
      preset: Preset.optional(),
      mapping: ImportMapping.optional().describe(
        "What its columns mean; as it was guessed, where it is left out.",
      ),
      options: ImportOptions.optional().describe("How it is read beside its columns."),
      whoLeft: Leavers.optional(),
    }),
    example: { dryRun: true },
    result: z.object({ import: Import.describe("The file that is brought in.") }),
    errors: ["not_found", "conflict"],
    reasons: ["running", "incomplete", "who_left_missing", "ended"],
  },
  async (ctx, { params: { id }, body }) => {
    const { db, projectId, now, app } = ctx;
    const { id: importId } = await requireImport(db, projectId, id);
    await lockImport(db, projectId, importId);
    const row = await requireImport(db, projectId, id);
    const running = await findRunning(db, projectId);
    if (running !== null) throw isRunning();
    if (row.state === "done" && !row.isDryRun) throw conflict("ended", "This file was brought in already.");
    const file = await wholeFile(ctx, row);
    const kind = row.kind as ImportKind;
    const { format, samples } = await orRefused(recognize(file));
    const wanted = body.preset ?? Preset.nullable().parse(row.preset);
    const guess = guessMapping(kind, format, samples, wanted);
    const given = body.mapping ?? ImportMapping.nullable().parse(row.mapping);
    const preset = wanted ?? guess.preset;
    const mapping = given === null ? guess.mapping : resolveRest(kind, given, format, samples, preset);
    const options = { ...guess.options, ...ImportOptions.parse(row.options), ...body.options };
    const keptDays = await eventsKeptFor(app, projectId, EVENTS_DAYS.most * DAY_MS);
    await orRefused(
      (async () => compileMapping({ kind, mapping, options, format, preset, now, keptDays }))(),
    );
    const dryRun = body.dryRun ?? false;
    const whoLeft = await leaversIn(ctx, body.whoLeft);
    if (!dryRun && whoLeft === null && !stopsKnown(kind, mapping, preset))
      throw conflict(
        "who_left_missing",
        "This file has addresses, and does not say who gets no mail. Bring in those who left first and name that import as whoLeft.importId, or say whoLeft: nobody.",
      );
    const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
    const goesOn =
      (row.state === "stopped" || row.state === "failed") &&
      row.isDryRun === dryRun &&
      isSame(ImportMapping.nullable().parse(row.mapping), mapping) &&
      isSame(ImportOptions.parse(row.options), options);
    if (!goesOn) await deleteRefusals(db, projectId, importId);
    const start = { format, preset, mapping, options, whoLeft, isDryRun: dryRun, anew: !goesOn };
    try {
      await startReading(db, projectId, importId, { ...start, by: authorOf(ctx), at: now });
    } catch (cause) {
      if (sqlState(cause) === SQLSTATE.uniqueViolation) throw isRunning();
      throw cause;
    }
    ctx.describe({ after: { name: row.name, kind, dryRun, whoLeft } });
    return { import: toImport(await requireImport(db, projectId, id)) };
  },
);
