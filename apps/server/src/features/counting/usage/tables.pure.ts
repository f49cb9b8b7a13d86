import { ORGANIZATION_ROWS, type RoomTables, USER_KEY } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  activeUsers: { lies: "userKey", exported: { columns: USER_KEY } },
  activeUserCounts: { lies: "counter", recounted: "active users, by lane" },
  usageCatchUps: {
    lies: "reference",
    projectRows: ORGANIZATION_ROWS,
    refersTo: ["organizations"],
    leftOut: "it belongs to the organization",
  },
};
