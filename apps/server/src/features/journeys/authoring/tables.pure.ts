import { PAGE_OF_LARGE_ROWS, type RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    jrn: "journeys";
  }
}

export const tables: RoomTables = {
  journeys: {
    lies: "reference",
    inertTimestamps: ["created_at", "updated_at", "started_at", "ended_at"],
    ids: "jrn",
    refersTo: ["goals"],
    exported: {
      columns: { id: "id", goal_id: "id", definition: "ids within" },
      page: PAGE_OF_LARGE_ROWS,
      // An imported journey must not go on in the old and in the new project at once.
      set: { status: "case i.status when 'running' then 'paused' else i.status end" },
    },
  },
  journeyAllocations: {
    lies: "reference",
    inertTimestamps: ["started_at"],
    refersTo: ["journeys"],
    exported: { columns: { journey_id: "id" } },
  },
  journeyFills: {
    lies: "reference",
    refersTo: ["journeys"],
    leftOut: "an imported journey is paused, and begins anew when it is launched",
  },
  journeyVersions: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    refersTo: ["journeys"],
    exported: { columns: { journey_id: "id", definition: "ids within" }, page: PAGE_OF_LARGE_ROWS },
  },
};
