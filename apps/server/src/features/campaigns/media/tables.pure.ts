import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  media: { lies: "reference", exported: { columns: { bytes: "bytes" }, page: 4 } },
};
