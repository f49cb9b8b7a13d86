import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  doctorRuns: { lies: "local", leftOut: "what the doctor found on this server" },
};
