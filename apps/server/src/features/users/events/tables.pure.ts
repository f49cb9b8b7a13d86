import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    ev: "events";
  }
}

export const tables: RoomTables = {
  events: {
    lies: "userKey",
    inertTimestamps: ["ts"],
    exported: { columns: { ...USER_KEY, props: "data", recorded_at: "cleared" } },
  },
  eventCounts: {
    lies: "userKey",
    inertTimestamps: ["first_at", "retired_until"],
    exported: { columns: USER_KEY },
  },
};
