import { declareTables } from "../../domain/tables.ts";

export const tables = declareTables("audit", {
  auditEntries: { lies: "reference", leftOut: "they name people of this server" },
});
