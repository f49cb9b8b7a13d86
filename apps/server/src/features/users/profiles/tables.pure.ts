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
    exported: { brings: ["user"], columns: { ...USER_KEY, traits: "data" } },
  },
};
