import { z } from "zod";

/** The version of the format. Another one is another shape of lines; columns come and go without it. */
export const FORMAT = 1;
/** What the first line says of itself. */
export const KIND = "tidings export";

/** The first line of an export. */
export const Header = z.object({
  type: z.literal(KIND),
  format: z.int().min(1),
  /** The last migration of the database that it was taken from. */
  schema: z.string().regex(/^\d{4}_\w+\.sql$/),
  /** Epoch milliseconds: the instant that everything in it is of. */
  exportedAt: z.int().min(0),
  project: z.object({ id: z.uuid(), name: z.string().min(1).max(80) }),
  /** Columns by table, of all records. */
  tables: z.record(z.string(), z.array(z.string())),
  /** Whether secrets are in it, in clear; else those that it leaves out, in words. */
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

/** A line in between: a row of a table. */
export const Row = z.record(z.string(), z.unknown());
export type Row = z.infer<typeof Row>;
