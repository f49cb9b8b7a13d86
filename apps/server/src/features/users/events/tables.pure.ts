import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    ev: "events";
  }
}

export const tables: RoomTables = {
  events: { lies: "userKey", exported: { columns: { ...USER_KEY, props: "data" } } },
  eventCounts: { lies: "userKey", exported: { columns: USER_KEY } },
};
