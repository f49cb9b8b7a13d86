import type { RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    imp: "imports";
  }
}

export const tables: RoomTables = {
  imports: {
    lies: "reference",
    ids: "imp",
    inertTimestamps: ["made_at", "started_at", "ended_at"],
    exported: {
      // What is not brought in yet needs its parts, which stay behind.
      only: "t.state = 'done' and not t.is_dry_run",
      columns: {
        id: "id",
        declared_sha256: "cleared",
        format: "data",
        mapping: "data",
        options: "data",
        reasons: "data",
        who_left: "ids within",
        lease_owner: "cleared",
        tries: "cleared",
      },
    },
  },
  importParts: {
    lies: "reference",
    refersTo: ["imports"],
    leftOut: "the bytes of files that are brought in",
  },
  importRefusals: { lies: "reference", refersTo: ["imports"], leftOut: "lines of files that were not taken" },
};
