import { type RoomTables, USER_KEY } from "../../domain/tables.ts";

export const tables: RoomTables = {
  erasedUsers: {
    lies: "userKey",
    inertTimestamps: ["erased_at"],
    exported: { brings: ["user"], columns: USER_KEY },
  },
  erasingUsers: {
    lies: "userKey",
    inertTimestamps: ["erased_at"],
    leftOut: "an export begins by deleting what is left of erased users",
  },
};
