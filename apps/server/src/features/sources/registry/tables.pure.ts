import type { RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    map: "mappings";
    dep: "deployments";
  }
}

export const tables: RoomTables = {
  sources: {
    lies: "reference",
    inertTimestamps: ["fetched_at", "created_at"],
    exported: {
      // A credential stays with the people who gave it, and a file cannot say what the operators of a server allow; it makes a mirror of its own.
      columns: {
        credential: "cleared",
        by_operator: "cleared",
        lease_owner: "cleared",
        pulls_read_until: "cleared",
      },
    },
  },
  sourcePulls: {
    lies: "reference",
    refersTo: ["sources"],
    leftOut: "the new server reads them again from their host",
  },
  mappings: {
    lies: "reference",
    inertTimestamps: ["confirmed_at"],
    ids: "map",
    refersTo: ["sources"],
    exported: { columns: { id: "id" } },
  },
  deployments: {
    lies: "reference",
    inertTimestamps: ["reported_at"],
    ids: "dep",
    refersTo: ["sources"],
    exported: { columns: { id: "id" } },
  },
};
