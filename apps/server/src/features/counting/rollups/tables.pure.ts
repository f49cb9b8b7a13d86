import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  rollupDeltas: {
    lies: "counter",
    inertTimestamps: ["recorded_at"],
    exported: {
      columns: { id: "numbered anew", lane: "data", facts: "data", recorded_at: "cleared", fault: "cleared" },
      // What could not be added up here could not be there.
      only: "t.fault is null",
      orderBy: "t.id",
      formerly: { rollup_notes: {} },
    },
  },
  eventNames: { lies: "reference", inertTimestamps: ["last_seen_at"], exported: { columns: {} } },
  eventProperties: { lies: "reference", exported: { columns: {} } },
  eventDays: { lies: "reference", inertTimestamps: ["day"], exported: { columns: {} } },
  userCounts: { lies: "reference", recounted: "users, by kind" },
  traitKeys: { lies: "reference", exported: { columns: {} } },
  traitValues: { lies: "reference", exported: { columns: {} } },
  crowdedTraits: { lies: "reference", exported: { columns: {} } },
  deliveryDays: { lies: "reference", inertTimestamps: ["day"], exported: { columns: {} } },
};
