import { declareTables, PAGE_OF_LARGE_ROWS } from "../../../domain/tables.ts";

export const tables = declareTables("audience/segments", {
  segments: { lies: "reference", ids: "seg", exported: { columns: { id: "id" } } },
  audienceVersions: {
    lies: "reference",
    ids: "aud",
    refersTo: ["agentRuns", "segments"],
    exported: {
      columns: { id: "id", segment_id: "id", agent_run_id: "id", expression: "ids within" },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
});
