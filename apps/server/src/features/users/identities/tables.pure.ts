import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  identities: {
    refersTo: ["users"],
    lies: "userKey",
    inertTimestamps: ["linked_at"],
    exported: {
      brings: ["user"],
      columns: { ...USER_KEY, to_lane: "lane of to_user_key", to_user_key: "user key" },
    },
  },
};
