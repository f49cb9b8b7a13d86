import { z } from "zod";
import { count, epochMs, pathId, text } from "../../platform/http/contract/fields.ts";

/** Bytes of every part of a file but the last. */
export const PART_BYTES = 4 * 1_024 * 1_024;
/** Parts of the largest file: 2 GiB. */
export const MOST_PARTS = 512;
/** The most lines of a piece. */
export const PIECE_LINES = 5_000;
/** Reasons for refusals that are counted apart; all further ones count together. */
export const MOST_REASONS = 50;

/** What the lines of a file are about. */
export const ImportKind = z
  .enum(["users", "events", "suppressions"])
  .describe("users: a line per user. events: what users did. suppressions: addresses that get no mail.");
export type ImportKind = z.infer<typeof ImportKind>;

export const PRESETS = [
  "customerio",
  "braze",
  "onesignal",
  "listmonk",
  "mailchimp",
  "posthog",
  "segment",
  "segment_calls",
] as const;

/** The tool that wrote the file, of which Tidings knows what its columns mean. */
export const Preset = z.enum(PRESETS).describe("The tool that wrote the file.");
export type Preset = z.infer<typeof Preset>;

/** The name of a column, or of a key of the objects of a file; `a.b` is the key `b` of the object `a`. */
const column = text(200);

/** How the cells of a column are read. */
export const CellType = z
  .enum(["text", "number", "boolean", "time", "json"])
  .describe("time: becomes epoch milliseconds. A cell that cannot be read so is a refusal of its line.");
export type CellType = z.infer<typeof CellType>;

const NamedColumns = z
  .union([
    z.literal("rest"),
    z
      .array(
        z.strictObject({
          column: column.describe("The column."),
          as: text(200).describe(
            "What it is called in Tidings. `*`, of JSON: each key of the object, under its own name.",
          ),
          type: CellType,
        }),
      )
      .max(1_000),
  ])
  .describe("Which columns come along; `rest`: each that nothing else here names, under its own name.");

/** Which lines are about an address that gets no mail. */
const StopRule = z.strictObject({
  column: column.nullable().describe("The column that says it; null with `always`."),
  when: z
    .union([z.enum(["always", "true", "given", "negative"]), z.array(text(200)).min(1).max(20)])
    .describe(
      "true: the cell says yes (true, t, yes, y, 1). given: it is not empty. negative: it is a number below 0. Or the texts that it may be.",
    ),
  reason: z
    .enum(["unsubscribed", "bounced", "complained", "manual"])
    .describe("Why the address gets no mail from then on."),
  at: column.optional().describe("The column that says since when; now, where there is none."),
});
export type StopRule = z.infer<typeof StopRule>;

/** What the columns of a file mean. */
export const ImportMapping = z
  .strictObject({
    userId: column.optional().describe("The user's id in your product."),
    email: column.optional().describe("The user's address, which becomes the trait `email`."),
    firstSeenAt: column.optional().describe("When your product saw the user first."),
    traits: NamedColumns.optional().describe("What is known of the user."),
    event: column.optional().describe("What the user did."),
    ts: column.optional().describe("When."),
    eventId: column
      .optional()
      .describe("The id of the occurrence. Without one it is made of user, name, instant and properties."),
    props: NamedColumns.optional().describe("What is known of the occurrence."),
    suppressed: z
      .array(StopRule)
      .max(10)
      .optional()
      .describe("Who gets no mail. The first rule that applies counts."),
  })
  .meta({ id: "ImportMapping" });
export type ImportMapping = z.infer<typeof ImportMapping>;

/** How a file is read beside its columns. */
export const ImportOptions = z
  .strictObject({
    timeZone: text(64)
      .optional()
      .describe(
        "The IANA zone of times that name none, such as 2026-11-01 10:00:00; UTC where it is left out.",
      ),
    id: z
      .enum(["column", "email", "match"])
      .optional()
      .describe(
        "Who a line is about. column: the user of `mapping.userId`. email: the address is the user's id. match: the one user who has the address already.",
      ),
    same: z
      .enum(["event", "line"])
      .optional()
      .describe("Of events without an id: two equal lines are one event, or each line is one."),
  })
  .meta({ id: "ImportOptions" });
export type ImportOptions = z.infer<typeof ImportOptions>;

/** Why a line was not taken. `rule` is a word for programs, `text` a sentence for people; `field` is the column, or empty. */
export type LineFault = { field: string; rule: string; text: string };

/** An address that gets no mail from now on. `at` (epoch milliseconds) is null where the file does not say since when. */
export type MappedStop = { address: string; reason: StopRule["reason"]; at: number | null };

/** The user that a line is about: the one of an id, or the only one with an address. */
export type MappedUser = { id: string } | { withAddress: string };

/** What a line says, by what the file is about. Instants are epoch milliseconds. */
export type MappedLine =
  | {
      kind: "users";
      user: MappedUser;
      /** Compact JSON without nulls, of at most 4,096 bytes; its keys are `traitNames`. */
      traits: string;
      firstSeenAt: number | null;
      stop: MappedStop | null;
    }
  | {
      kind: "events";
      user: MappedUser;
      name: string;
      ts: number;
      /** Null where the file has none: it is made of the rest. */
      eventId: string | null;
      /** Compact JSON of at most 4,096 bytes, or null. */
      props: string | null;
      /** Traits that the event tells of its user (`$set` of PostHog), as above, or null. */
      traits: string | null;
    }
  /** Null: the line is about no address that gets no mail. */
  | { kind: "suppressions"; stop: MappedStop | null };

/** A line as it stands in the file: `line` counts from 1, the line of names included. A record that cannot be read at all has a fault. */
export type FileRecord =
  | { line: number; fields: Readonly<Record<string, unknown>> }
  | { line: number; fault: LineFault };

/** What a file looks like. */
export const FileFormat = z.object({
  format: z.enum(["csv", "ndjson", "parquet"]).describe("What kind of file it is."),
  isGzip: z.boolean().describe("Whether it is packed with gzip."),
  delimiter: z
    .string()
    .max(1)
    .nullable()
    .describe("What is between the cells of a CSV file; null of any other."),
  columns: z.array(z.string().max(200)).max(1_000),
});
export type FileFormat = z.infer<typeof FileFormat>;

/** What became of a file. */
const ImportState = z
  .enum(["waiting", "running", "stopped", "done", "failed"])
  .describe(
    "waiting: it is uploaded, or waits to be started. running: its lines are read. stopped: a person or program stopped it; it goes on where it was. done: all lines were read. failed: the file cannot be read on, as `fault` says.",
  );
export type ImportState = z.infer<typeof ImportState>;

/** Where the addresses are that get no mail, if this file does not name them. */
export const Leavers = z
  .union([
    z.literal("nobody"),
    z.object({ importId: pathId.describe("An import that is done and brought in who gets no mail.") }),
  ])
  .describe("Where those are who get no mail: in another import, or there are none.");

/** Refusals of one kind: how many lines of the file have one. */
export const RefusalReason = z.object({
  reason: z.string().max(40).describe("The rule, as a word for programs."),
  field: z.string().max(200).describe("The column; empty where it is about the whole line."),
  text: z.string().max(400).describe("The rule in words."),
  count: count.describe("How many lines."),
  firstLine: z.int().min(1).describe("The first of them."),
});
export type RefusalReason = z.infer<typeof RefusalReason>;

/** A file that is brought in. */
export const Import = z
  .object({
    id: z.string().max(128).describe("Id of the import."),
    kind: ImportKind,
    name: z.string().max(200).describe("What the file is called."),
    preset: Preset.nullable().describe("The tool that wrote it; null for any other."),
    state: ImportState,
    isDryRun: z.boolean().describe("Whether its lines are, or were, only judged, and nothing was written."),
    fault: z.string().max(1_000).nullable().describe("Why it failed; null where it did not."),
    bytes: count.describe("Bytes of its parts."),
    parts: z.array(z.int().min(1)).max(MOST_PARTS).describe("The numbers of the parts that are there."),
    bytesRead: count.describe("How many of these bytes were read."),
    lines: count.describe("How many lines were judged, the line of names left out."),
    written: count.describe("Lines that changed something; of a dry run, that would."),
    known: count.describe("Lines that changed nothing, because it is so already."),
    refused: count.describe("Lines that were not taken."),
    reasons: z.array(RefusalReason).max(MOST_REASONS).describe("Why, the most frequent first."),
    mapping: ImportMapping.nullable().describe(
      "What its columns mean; null before it is started, where none was given.",
    ),
    options: ImportOptions.describe("How it is read beside its columns."),
    whoLeft: Leavers.nullable().describe("Where those are who get no mail, where that was to be said."),
    by: z.string().max(80).describe("Who made it."),
    startedBy: z.string().max(80).nullable().describe("Who started it last."),
    createdAt: epochMs,
    startedAt: epochMs.nullable().describe("When it was started last, epoch milliseconds."),
    endedAt: epochMs.nullable().describe("When it ended, epoch milliseconds."),
  })
  .meta({ id: "Import" });
export type Import = z.input<typeof Import>;
