import { z } from "zod";
import { pathId, queryInstant, text } from "../../platform/http/contract/fields.ts";

export const FORMATS = ["csv", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

/** The end of the path: which kind of file it is. */
export const FormatParam = z.object({
  format: z.enum(FORMATS).describe("`csv`: a table for spreadsheets. `ndjson`: a JSON object per line."),
});

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
};

/** The kinds of files that a table is written as by a sync. */
export const FILE_FORMATS = [...FORMATS, "parquet"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const FILE_TYPES: Readonly<Record<FileFormat, string>> = {
  ...CONTENT_TYPES,
  parquet: "application/vnd.apache.parquet",
};

/** Filters that several lists have. */
export const since = queryInstant.optional().describe("Only rows of this instant and later ones.");
export const until = queryInstant.optional().describe("Only rows of this instant and earlier ones.");
export const campaignId = pathId.optional().describe("Only rows of this campaign.");
export const afterRow = (what: string) =>
  text(128)
    .optional()
    .describe(
      `Only rows behind this one: the id of ${what} that came last, to go on where a file was cut off.`,
    );
