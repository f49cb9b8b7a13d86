import { DELIVERY_KEY, PAGE_OF_LARGE_ROWS, type RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  sendData: {
    lies: "userKey",
    inertTimestamps: ["requested_at"],
    exported: {
      columns: { ...DELIVERY_KEY, request: "data", sealed: "cleared" },
      only: "t.request is not null",
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  sendFiles: { lies: "userKey", leftOut: "the files of mail, which are large and kept for days only" },
};
