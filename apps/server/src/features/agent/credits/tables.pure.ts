import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  aiUsage: { lies: "reference", exported: { columns: { calls: "data", prices: "data" } } },
  aiBillingReports: {
    lies: "reference",
    ids: null,
    inertTimestamps: ["created_at"],
    refersTo: ["aiUsage"],
    exported: { columns: { id: "id" } },
  },
};
