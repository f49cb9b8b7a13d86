import { z } from "zod";
import { count, epochMs, text } from "../../platform/http/contract/fields.ts";
import { FILE_FORMATS } from "../extracts/schema.ts";
import { LISTS } from "./rules.ts";

/** The most syncs of a project. */
export const MOST_SYNCS = 20;
/** The most characters of why an attempt failed. */
export const MOST_FAULT = 512;

export const SyncList = z.enum(LISTS);

export const SyncLists = z
  .array(SyncList)
  .min(1)
  .max(LISTS.length)
  .describe(
    "Which lists are written: `events` as they arrive, each event once; all others whole, once a day, as they are then.",
  );
export const SyncFormat = z
  .enum(FILE_FORMATS)
  .describe("`parquet`: for warehouses and DuckDB. `csv`: a table. `ndjson`: a JSON object per line.");
export const SyncEvery = z
  .enum(["hour", "day"])
  .describe(
    "How often events are written: those of an hour, or of a day (UTC). All other lists: once a day.",
  );

/** The name of a folder below the one that the operator has set. */
const folderName = text(100)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    "must begin with a letter or a digit, and have only these, dots, - and _",
  )
  .describe("The name of a folder on the server, below `SYNCS_FOLDER`: nothing else is in it.");

/** A part of a path in a bucket: what every store takes, and no address reads in another way. */
const prefix = text(300)
  .regex(
    /^[A-Za-z0-9!_'()-][A-Za-z0-9!_.'()=-]{0,99}(?:\/[A-Za-z0-9!_'()-][A-Za-z0-9!_.'()=-]{0,99}){0,20}$/,
    "must be names with / between them, of letters, digits and ! - _ . ' ( ) =, and none may begin with a dot",
  )
  .describe("Where in the bucket: nothing else of Tidings is below it.");

const accessKeyId = text(128)
  .regex(/^[\x21-\x7e]+$/, "must have no spaces")
  .describe("The id of the key.");
const secretAccessKey = text(256)
  .regex(/^[\x21-\x7e]+$/, "must have no spaces")
  .describe("The key itself. It is never shown again.");

const endpoint = text(256).describe(
  "Where the store is: `https://s3.eu-central-1.amazonaws.com`, or the address of another one that speaks S3.",
);
const region = text(64)
  .regex(/^[A-Za-z0-9-]+$/, "must have only letters, digits and -")
  .describe("Its region, such as `eu-central-1`; `auto` for some.");
const bucket = text(63)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "must be the name of a bucket")
  .describe("The bucket, which is there already.");

/** A place as it is named when a sync is made. */
export const NewPlace = z
  .union([
    z.object({ folder: folderName }),
    z.object({
      s3: z.object({
        endpoint,
        region,
        bucket,
        prefix,
        accessKeyId,
        secretAccessKey,
      }),
    }),
  ])
  .describe("Where the files go: a folder of the server, or a bucket of a store that speaks S3.");
export type NewPlace = z.infer<typeof NewPlace>;

export const NewKeys = z
  .object({ accessKeyId, secretAccessKey })
  .describe("Other keys for the bucket, which are tried before they are kept.");

/** A place as it is kept and shown: without its key. */
export const Place = z
  .union([
    z.object({ folder: folderName }),
    z.object({ s3: z.object({ endpoint, region, bucket, prefix, accessKeyId }) }),
  ])
  .describe("Where the files go.");
export type Place = z.infer<typeof Place>;

const fault = text(MOST_FAULT, 0).nullable();

/** What is known of one list of a sync. */
const SyncProgress = z.object({
  list: SyncList.describe("Which one."),
  writtenUntil: epochMs
    .nullable()
    .describe(
      "Everything that came before this instant is there; of a list that is written whole, it is as it was then or later.",
    ),
  rows: count.describe("Rows of its files, all windows together."),
  bytes: count.describe("Bytes of its files."),
});

/** A schedule by which lists are written as files, as the API shows it. Instants are epoch milliseconds. */
export const Sync = z
  .object({
    id: text(64).describe("`sync_…`."),
    lists: SyncLists,
    format: SyncFormat,
    every: SyncEvery,
    to: Place,
    history: z.boolean().describe("Whether events of before it was made are written too."),
    state: z
      .enum(["on", "off"])
      .describe("off: nothing is written. Once it is on again, what was left out follows."),
    isWriting: z.boolean().describe("Whether a process is writing now."),
    dueAt: epochMs.nullable().describe("When something is to be written next; null where it is off."),
    succeededAt: epochMs.nullable().describe("When everything that was due was there last."),
    failingSince: epochMs
      .nullable()
      .describe(
        "The first attempt that failed since the last one that wrote something; null where it works.",
      ),
    fault: fault.describe("Why the last attempt failed, while it is failing."),
    progress: z.array(SyncProgress).max(LISTS.length).describe("How far each list is."),
    createdAt: epochMs.describe("When it was made."),
    changedAt: epochMs.describe("When a person changed it last."),
  })
  .meta({ id: "Sync" });
export type Sync = z.infer<typeof Sync>;

/** What was written of one list: from an instant to another. */
export const SyncWindow = z
  .object({
    list: SyncList.describe("Which list."),
    since: epochMs
      .nullable()
      .describe("Events from this instant on; null: all that were there, or a list that is whole."),
    until: epochMs.describe("Events before this instant; for a list that is whole, its day (UTC)."),
    folder: text(100).describe("Where its files are, below the place of the sync."),
    files: count.describe("How many files it has."),
    rows: count.describe("Rows in them."),
    bytes: count.describe("Bytes of them."),
    begunAt: epochMs.describe("When it was begun."),
    endedAt: epochMs.nullable().describe("When its manifest was written; null while it is not complete."),
  })
  .meta({ id: "SyncWindow" });
export type SyncWindow = z.infer<typeof SyncWindow>;
