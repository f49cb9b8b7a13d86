import { declareTables } from "../../domain/tables.ts";

export const tables = declareTables("guardrails", {
  guardrailBreaches: {
    lies: "reference",
    refersTo: ["campaigns", "agentRuns"],
    exported: {
      columns: { run_id: "id", campaign_id: "id", counts: "data", cleared_counts: "data" },
    },
  },
});
