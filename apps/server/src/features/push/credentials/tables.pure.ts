import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("push/credentials", {
  pushCredentials: {
    lies: "reference",
    ids: "cred",
    exported: {
      columns: {
        id: "id",
        sealed: "secret",
        // What the provider has said is true of the server that asked it.
        accepted_by: "cleared",
        refused_at: "cleared",
        refused_code: "cleared",
        is_barred: "cleared",
        probe_at: "cleared",
        probes: "cleared",
      },
    },
  },
});
