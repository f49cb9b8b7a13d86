import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  caughtMessages: { lies: "local", inertTimestamps: ["at"], leftOut: "mail that never left, for looking at" },
};
