import type { RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    ref: "sourceRefs";
    con: "sourceContributions";
  }
}

export const tables: RoomTables = {
  sourceRefs: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    ids: "ref",
    refersTo: ["sources"],
    exported: {
      // A lease is of the server that gave it.
      columns: { id: "id", lease_digest: "cleared", lease_expires_at: "cleared", work: "cleared" },
    },
  },
  sourceClaims: {
    lies: "reference",
    ids: null,
    refersTo: ["sourceRefs"],
    exported: { columns: { id: "id", ref_id: "id" } },
  },
  sourceContributions: {
    lies: "reference",
    inertTimestamps: ["withdrawn_at", "created_at"],
    ids: "con",
    refersTo: ["sourceRefs", "campaigns", "agentRuns"],
    exported: {
      columns: {
        id: "id",
        campaign_id: "id",
        ref_id: "id",
        run_id: "id",
        edits: "ids within",
        name_edit: "data",
      },
    },
  },
  sourcePlans: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    refersTo: ["sourceRefs", "agentRuns"],
    exported: { columns: { ref_id: "id", run_id: "id", result: "ids within" } },
  },
};
