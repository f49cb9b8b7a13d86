import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("email/sender", {
  dkimKeys: { lies: "reference", exported: { columns: { sealed_private_key: "secret" } } },
});
