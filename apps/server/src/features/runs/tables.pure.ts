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
      page: PAGE_OF_LARGE_ROWS,
    },
  },
});
