import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("push/credentials", {
  pushCredentials: { lies: "reference", ids: "cred", exported: { columns: { id: "id", sealed: "secret" } } },
});
