import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("email/transport", {
  outboxMessages: { lies: "local", leftOut: "mail that never left, for looking at" },
});
