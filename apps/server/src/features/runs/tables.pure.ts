import { declareTables, PAGE_OF_LARGE_ROWS } from "../../domain/tables.ts";

export const tables = declareTables("runs", {
  agentRuns: {
    lies: "reference",
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
      // Ids change with an import, so the hashes would not fit any more: imported runs are in no chain.
      set: { seq: "null", prev_hash: "null", hash: "null" },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  agentRunHeads: {
    lies: "reference",
    // The new project's chain begins with the old one's head, so that the file is what came before it.
    exported: { columns: {}, set: { start_seq: "i.seq", start_hash: "i.hash" } },
  },
  agentTranscripts: {
    lies: "reference",
    refersTo: ["agentRuns"],
    // As it was said: with other ids in it, its hashes would not fit any more.
    exported: { columns: { run_id: "id", entries: "data" }, page: PAGE_OF_LARGE_ROWS },
  },
});
