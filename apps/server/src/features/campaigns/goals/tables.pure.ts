import type { RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    goal: "goals";
  }
}

export const tables: RoomTables = {
  goals: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    ids: "goal",
    exported: { columns: { id: "id", guardrails: "ids within" } },
  },
};
