import { PAGE_OF_LARGE_ROWS, type RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    seg: "segments";
    aud: "audienceVersions";
  }
}

export const tables: RoomTables = {
  segments: {
    lies: "reference",
    inertTimestamps: ["created_at", "updated_at"],
    ids: "seg",
    exported: { columns: { id: "id" } },
  },
  audienceVersions: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    ids: "aud",
    refersTo: ["agentRuns", "segments"],
    exported: {
      columns: { id: "id", segment_id: "id", agent_run_id: "id", expression: "ids within" },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
};
