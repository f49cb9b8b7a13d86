import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  intakeHours: {
    lies: "reference",
    inertTimestamps: ["last_at"],
    leftOut: "what was sent to this server, by the hour",
  },
};
