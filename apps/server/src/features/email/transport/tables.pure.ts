import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  caughtMessages: { lies: "local", leftOut: "mail that never left, for looking at" },
};
