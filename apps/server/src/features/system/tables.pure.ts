import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  doctorRuns: {
    lies: "local",
    projectRows: null,
    inertTimestamps: ["requested_at", "started_at", "ended_at"],
    leftOut: "what the doctor found on this server",
  },
};
