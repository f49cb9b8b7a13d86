import { counted } from "@tidings/client/text";
import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { openUpload, orRefused } from "./file.ts";
import { guessMapping } from "./mapping/guess.pure.ts";
import { recognize } from "./reading/recognize.ts";
import { FileFormat, type ImportKind, ImportMapping, ImportOptions, Preset } from "./schema.ts";
import { countSendingCampaigns } from "./store.ts";
import { requireImport } from "./view.ts";

const MOST_WARNINGS = 20;

export const lookAtImport = endpoint(
  {
    id: "lookAtImport",
    method: "POST",
    path: "/api/v1/imports/{id}/look",
    tag: "Imports",
    summary: "Look at what a file has",
    description:
      "Reads the first MiB of what is uploaded, and guesses what its columns mean. Nothing is kept: what is given to the start counts.",
    keys: ["secret"],
    people: "editor",
    budget: "imports",
    isRead: true,
    cost: "heavy",
    tool: "A model has no file to bring in.",
    params: z.object({ id: pathId.describe("Id of the import.") }),
    body: z.object({
      preset: Preset.optional().describe("The tool that wrote it, where the guess is wrong."),
    }),
    example: {},
    result: z.object({
      format: FileFormat.shape.format,
      isGzip: FileFormat.shape.isGzip,
      delimiter: FileFormat.shape.delimiter,
      columns: z
        .array(
          z.object({
            name: z.string().max(200).describe("The column."),
            samples: z.array(z.string().max(100)).max(3).describe("Some of its cells."),
            guess: z.string().max(400).describe("What becomes of it."),
          }),
        )
        .max(1_000)
        .describe("Its columns in their order."),
      preset: Preset.nullable(),
      mapping: ImportMapping.describe("What its columns seem to mean."),
      options: ImportOptions.describe("How it seems to be read beside its columns."),
      needsLeavers: z
        .boolean()
        .describe(
          "Whether the start has to say where those are who get no mail, because this file does not.",
        ),
      warnings: z
        .array(z.string().max(400))
        .max(MOST_WARNINGS)
        .describe("What to know before it is started."),
    }),
    errors: ["not_found", "conflict"],
    reasons: ["no_parts"],
  },
  async (ctx, { params: { id }, body: { preset } }) => {
    const { db, projectId } = ctx;
    const row = await requireImport(db, projectId, id);
    const { file } = await openUpload(db, projectId, row.id);
    if (file.byteLength === 0)
      throw new ApiError("conflict", "The first part is not uploaded yet.", {
        fields: { reason: "no_parts" },
      });
    const { format, samples } = await orRefused(recognize(file));
    const guess = guessMapping(
      row.kind as ImportKind,
      format,
      samples,
      preset ?? Preset.nullable().parse(row.preset),
    );
    const sending = row.kind === "users" ? await countSendingCampaigns(db, projectId) : 0;
    return {
      format: format.format,
      isGzip: format.isGzip,
      delimiter: format.delimiter,
      columns: guess.columns,
      preset: guess.preset,
      mapping: guess.mapping,
      options: guess.options,
      needsLeavers: !guess.knowsStops,
      warnings: [...guess.warnings, ...(sending === 0 ? [] : [mayReach(sending)])].slice(0, MOST_WARNINGS),
    };
  },
);

/** Campaigns that run go on to every user who matches, those of a file included. */
const mayReach = (sending: number): string =>
  `${counted(sending, "campaign")} that ${sending === 1 ? "runs sends" : "run send"} mail or push to whoever matches: users whom this file brings may get it.`;
