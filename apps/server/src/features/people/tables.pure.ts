import type { RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  members: {
    lies: "reference",
    projectRows: null,
    inertTimestamps: ["created_at"],
    leftOut: "people belong to the server, not to a project",
  },
  memberRoles: {
    lies: "reference",
    refersTo: ["members"],
    leftOut: "people belong to the server; its owners say who may work on an imported project",
  },
  personLinks: {
    lies: "reference",
    projectRows: null,
    inertTimestamps: ["created_at", "used_at"],
    refersTo: ["members"],
    leftOut: "they let people in on this server",
  },
};
