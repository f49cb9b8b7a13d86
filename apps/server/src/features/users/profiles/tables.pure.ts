import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    eu: "users";
  }
}

export const tables: RoomTables = {
  users: {
    lies: "userKey",
    inertTimestamps: ["first_seen_at", "address_given_at"],
    exported: {
      brings: ["user"],
      // In another project all keys are others, and so are all draws.
      columns: { ...USER_KEY, traits: "data", drawn_as: "cleared", joined: "cleared", left_by: "cleared" },
    },
  },
};
