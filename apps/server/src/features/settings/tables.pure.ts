import { ORGANIZATION_ROWS, type RoomTables } from "../../domain/tables.ts";

export const tables: RoomTables = {
  organizationSettings: {
    lies: "reference",
    projectRows: ORGANIZATION_ROWS,
    inertTimestamps: ["updated_at"],
    refersTo: ["organizations"],
    leftOut: "they belong to the organization, which may have other projects",
  },
  settings: {
    lies: "reference",
    inertTimestamps: ["updated_at"],
    exported: { columns: { value: "data", sealed: "secret" } },
  },
  settingChanges: {
    lies: "reference",
    projectRows: `t.project_id = $1 or ${ORGANIZATION_ROWS}`,
    inertTimestamps: ["changed_at"],
    refersTo: ["organizations"],
    exported: {
      columns: { id: "numbered anew", organization_id: "cleared", before: "data", after: "data" },
      orderBy: "t.id",
    },
  },
};
