import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    eu: "users";
  }
}

export const tables: RoomTables = {
  users: { lies: "userKey", exported: { brings: ["user"], columns: { ...USER_KEY, traits: "data" } } },
};
