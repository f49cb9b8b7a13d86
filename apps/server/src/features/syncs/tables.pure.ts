import type { RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    sync: "syncs";
  }
}

export const tables: RoomTables = {
  syncs: {
    lies: "reference",
    inertTimestamps: ["succeeded_at", "alerted_at", "made_at", "changed_at", "deleted_at", "begins_at"],
    leftOut: "where this server writes files: two servers must not write to one place",
  },
  syncWindows: {
    lies: "reference",
    refersTo: ["syncs"],
    inertTimestamps: ["begun_at", "ended_at"],
    leftOut: "files that this server has written",
  },
};
