import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("email/transport", {
  caughtMessages: { lies: "local", leftOut: "mail that never left, for looking at" },
});
