import { declareTables } from "../../domain/tables.ts";

export const tables = declareTables("settings", {
  organizationSettings: {
    lies: "reference",
    refersTo: ["organizations"],
    leftOut: "they belong to the organization, which may have other projects",
  },
  settings: { lies: "reference", exported: { columns: { value: "data", sealed: "secret" } } },
  settingChanges: {
    lies: "reference",
    refersTo: ["organizations"],
    exported: {
      columns: { id: "numbered anew", organization_id: "cleared", before: "data", after: "data" },
      orderBy: "t.id",
    },
  },
});
