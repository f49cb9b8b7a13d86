import type { RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    top: "topics";
  }
}

export const tables: RoomTables = {
  topics: {
    lies: "reference",
    inertTimestamps: ["created_at", "updated_at"],
    ids: "top",
    exported: { columns: { id: "id" } },
  },
};
