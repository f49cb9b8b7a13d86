import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  campaignApprovals: {
    lies: "reference",
    inertTimestamps: ["approved_at"],
    refersTo: ["campaigns", "agentRuns"],
    leftOut: "people allowed launches of the old project: in the new one they decide anew",
  },
};
