import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  journeyEntries: {
    lies: "userKey",
    inertTimestamps: ["left_at"],
    exported: { columns: { ...USER_KEY, journey_id: "id", event: "data" } },
  },
  journeyMarks: {
    lies: "userKey",
    inertTimestamps: ["at"],
    exported: { columns: { ...USER_KEY, journey_id: "id" } },
  },
  journeyCounts: {
    lies: "reference",
    refersTo: ["journeys"],
    recounted: "counted from entries and passed",
  },
  journeyTriggers: {
    lies: "userKey",
    inertTimestamps: ["ts"],
    leftOut: "events that the next turn looks at",
  },
};
