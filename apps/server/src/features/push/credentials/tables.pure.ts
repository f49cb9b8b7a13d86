import type { RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    cred: "pushCredentials";
  }
}

export const tables: RoomTables = {
  pushCredentials: {
    lies: "reference",
    inertTimestamps: ["created_at", "updated_at", "refused_at"],
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
};
