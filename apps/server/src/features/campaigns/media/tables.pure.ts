import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  media: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    exported: { columns: { bytes: "bytes" }, page: 4 },
  },
};
