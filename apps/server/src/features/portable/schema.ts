import { z } from "zod";

/** The version of the format. It changes with the shape of lines, not with tables or columns. */
export const FORMAT = 1;
/** The type of the first line. */
export const KIND = "tidings export";

/** The first line of an export. */
export const Header = z.object({
  type: z.literal(KIND),
  format: z.int().min(1),
  /** The last migration of the database that was exported. */
  schema: z.string().regex(/^\d{4}_\w+\.sql$/),
  /** The instant of the export, epoch milliseconds: all rows are as they were then. */
  exportedAt: z.int().min(0),
  project: z.object({ id: z.uuid(), name: z.string().min(1).max(80) }),
  /** Columns by table, of all records. */
  tables: z.record(z.string(), z.array(z.string())),
  /** Whether the file has secrets in clear text; else a list of those that were left out, for people. */
  secrets: z.union([z.literal("in clear"), z.array(z.string())]),
});
export type Header = z.infer<typeof Header>;

/** The type of the last line. */
export const END = "end";

/** The last line of an export. */
export const Footer = z.object({
  type: z.literal(END),
  /** Records by type. */
  counts: z.record(z.string(), z.int().min(0)),
  /** SHA-256 of all bytes before this line, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Footer = z.infer<typeof Footer>;

/** The row of a record, which is each line between header and footer. */
export const Row = z.record(z.string(), z.unknown());
export type Row = z.infer<typeof Row>;
