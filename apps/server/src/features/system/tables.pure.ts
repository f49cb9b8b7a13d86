import { declareTables } from "../../domain/tables.ts";

export const tables = declareTables("system", {
  doctorRuns: { lies: "local", leftOut: "what the doctor found on this server" },
});
