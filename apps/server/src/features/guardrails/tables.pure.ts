import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  guardrailBreaches: {
    lies: "reference",
    inertTimestamps: ["breached_at"],
    refersTo: ["campaigns", "agentRuns"],
    exported: {
      columns: { run_id: "id", campaign_id: "id", counts: "data", cleared_counts: "data" },
    },
  },
};
