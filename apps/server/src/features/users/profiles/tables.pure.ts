import { declareTables, USER_KEY } from "../../../domain/tables.ts";

export const tables = declareTables("users/profiles", {
  users: { lies: "userKey", exported: { brings: ["user"], columns: { ...USER_KEY, traits: "data" } } },
});
