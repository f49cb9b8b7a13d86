import { z } from "zod";
import { count, epochMs, text } from "../../platform/http/contract/fields.ts";

const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const Finding = z.object({
  name: text(200).describe("What was checked."),
  invariant: z
    .int()
    .min(1)
    .max(100)
    .describe("The invariant that it proves, as docs/internals/data.md numbers them."),
  compares: z
    .enum(["derived", "facts", "key", "service"])
    .describe(
      "derived: a number with the rows that it counts. facts: rows with each other. key: the secret key. service: what another service does not take.",
    ),
  differences: count.describe("How many rows differ."),
  milliseconds: count.describe("How long it took."),
});

/** One look of the doctor at the whole database. */
export const DoctorRun = z
  .object({
    state: z
      .enum(["waiting", "running", "done", "failed"])
      .describe("waiting: until a process that works begins. failed: it ended before its last check."),
    requestedAt: epochMs.describe("When a person asked for it, in epoch milliseconds."),
    requestedBy: text(256).describe("Who asked for it."),
    startedAt: epochMs.nullable().describe("When it began, in epoch milliseconds."),
    endedAt: epochMs.nullable().describe("When it ended, in epoch milliseconds."),
    checks: count.nullable().describe("How many checks there are."),
    findings: z.array(Finding).max(1_000).describe("Those that were made so far, in order."),
    differences: count.describe("How many rows differ, in all of them."),
    fault: text(500).nullable().describe("Why it ended before its last check."),
  })
  .meta({ id: "DoctorRun" });
export type DoctorRun = z.infer<typeof DoctorRun>;

export const LastDoctorRun = z.object({
  run: DoctorRun.nullable().describe("The last one; null where nobody has asked yet."),
});

const Process = z.object({
  id: z.uuid().describe("What its leases are in the name of."),
  isThis: z.boolean().describe("Whether it gave this answer."),
  serves: z.boolean().describe("Whether it answers requests."),
  works: z.boolean().describe("Whether it plans, sends and keeps house."),
  looksAfter: z.boolean().describe("Whether it looks after campaigns."),
  seenAt: epochMs.describe("Its last heartbeat, in epoch milliseconds."),
  isStale: z.boolean().describe("Whether that is so long ago that it counts as gone."),
});

const Turn = z.object({
  name: text(200).describe("What comes round."),
  dueAt: epochMs.describe("When it is due next, in epoch milliseconds."),
  isRunning: z.boolean().describe("Whether a process is at it."),
  failures: count.describe("How often it has failed in a row."),
});

const Table = z.object({
  name: text(128).describe("Its name."),
  bytes: bytes.describe("What it takes with its indexes, in bytes."),
  rows: count
    .nullable()
    .describe("About how many rows it has, as PostgreSQL last counted; null where it has not yet."),
});

const Backups = z.object({
  folder: text(4_096).describe("Where they lie, as an absolute path."),
  everyMs: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .describe("How often this server makes one, in milliseconds; null where it makes none by itself."),
  keep: count.describe("How many of those stay."),
  count: count.describe("How many of this database are in the folder."),
  newest: z
    .object({
      startedAt: epochMs.describe(
        "When it was begun, in epoch milliseconds: what was written before is in it.",
      ),
      endedAt: epochMs.describe("When it was complete, in epoch milliseconds."),
      bytes: bytes.describe("Its size."),
      name: text(255).describe("Its folder."),
    })
    .nullable()
    .describe("The newest one; null where there is none."),
  fault: z
    .object({
      at: epochMs.describe("When that was, in epoch milliseconds."),
      reason: text(500).describe("Why, in sentences."),
    })
    .nullable()
    .describe("The last attempt of the process that answers, where it failed."),
});

/** How the server is. */
export const System = z
  .object({
    evaluatedAt: epochMs.describe("The instant, in epoch milliseconds."),
    version: text(64).describe("The version of Tidings."),
    commit: text(64)
      .nullable()
      .describe("The commit that it is of; null where it does not run from a repository."),
    node: text(64).describe("The version of Node.js."),
    postgres: text(128).describe("The version of PostgreSQL."),
    mode: z.enum(["self_hosted", "managed"]).describe("Who runs it."),
    startedAt: epochMs.describe("When the process that answers was started, in epoch milliseconds."),
    roles: z
      .array(z.enum(["api", "worker", "agent"]))
      .max(3)
      .describe("What that process does."),
    database: z.object({
      isEmbedded: z.boolean().describe("Whether it lies in DATA_DIR; else it is the operator's own."),
      bytes: bytes.describe("Its size."),
      tables: z.array(Table).max(10).describe("The largest tables."),
      migrations: z.object({
        applied: count.describe("How many were applied."),
        last: text(200).nullable().describe("The last one."),
        lastAt: epochMs.nullable().describe("When it was applied, in epoch milliseconds."),
        missing: count.describe("How many of this version were not."),
      }),
    }),
    disk: z
      .object({
        path: text(4_096).describe("DATA_DIR, as an absolute path."),
        freeBytes: bytes.describe("What is free on its disk."),
        totalBytes: bytes.describe("How large its disk is."),
      })
      .nullable()
      .describe("The disk of DATA_DIR; null where there is no such folder."),
    backups: Backups.nullable().describe(
      "Backups of the embedded database; null where it is the operator's own.",
    ),
    processes: z.array(Process).max(1_000).describe("The processes on this database."),
    turns: z.array(Turn).max(1_000).describe("Work that one process at a time does."),
    queues: z.object({
      mailDue: count.describe(
        "Messages that are due and have not left, of campaigns that run; 100,000 at most.",
      ),
      mailUnknown: count.describe("Messages of which nobody knows whether they left; 100,000 at most."),
      pushDue: count.describe("Devices whose push is due and has not left; 100,000 at most."),
    }),
  })
  .meta({ id: "System" });
