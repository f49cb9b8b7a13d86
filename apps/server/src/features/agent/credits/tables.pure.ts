import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("agent/credits", {
  aiUsage: { lies: "reference", exported: { columns: { calls: "data", prices: "data" } } },
  aiBillingReports: { lies: "reference", refersTo: ["aiUsage"], exported: { columns: { id: "id" } } },
});
