import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("campaigns/goals", {
  goals: { lies: "reference", ids: "goal", exported: { columns: { id: "id", guardrails: "ids within" } } },
});
