import { PAGE_OF_LARGE_ROWS, type RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    run: "agentRuns";
  }
}

export const tables: RoomTables = {
  agentRuns: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    ids: "run",
    refersTo: ["campaigns", "goals"],
    exported: {
      columns: {
        id: "id",
        goal_id: "id",
        campaign_id: "id",
        input: "ids within",
        output: "ids within",
        rationale: "ids within",
      },
      set: {
        // Ids change with an import, so the hashes would not fit any more: imported runs are in no chain.
        seq: "null",
        prev_hash: "null",
        hash: "null",
        // A file may say that Tidings wrote something; that a key did is worth no more than its word.
        written_by: "case when i.written_by in ('api', 'agent') then i.written_by else 'import' end",
      },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  agentRunHeads: {
    lies: "reference",
    // The new project's chain begins with the old one's head, so that the file is what came before it.
    exported: { columns: {}, set: { start_seq: "i.seq", start_hash: "i.hash" } },
  },
  agentRunDays: { lies: "reference", leftOut: "how much was written on one day" },
  agentTranscripts: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    refersTo: ["agentRuns"],
    // As it was said: with other ids in it, its hashes would not fit any more.
    exported: { columns: { run_id: "id", entries: "data" }, page: PAGE_OF_LARGE_ROWS },
  },
};
