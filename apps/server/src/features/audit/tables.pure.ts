import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  auditEntries: { lies: "reference", inertTimestamps: ["at"], leftOut: "they name people of this server" },
};
