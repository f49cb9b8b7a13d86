import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  demoPushes: {
    lies: "local",
    projectRows: null,
    inertTimestamps: ["at"],
    leftOut: "pushes that never left the demo",
  },
  demoShop: { lies: "local", leftOut: "the demo is a project of its own" },
};
