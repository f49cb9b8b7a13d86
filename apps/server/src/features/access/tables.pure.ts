import type { RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    prj: "projects";
  }
}

export const tables: RoomTables = {
  organizations: {
    lies: "reference",
    projectRows: "t.id = (select organization_id from projects where id = $1)",
    inertTimestamps: ["created_at"],
    leftOut: "an import joins the organization that is there",
  },
  projects: {
    lies: "reference",
    projectRows: "t.id = $1",
    inertTimestamps: ["created_at"],
    ids: "prj",
    refersTo: ["organizations"],
    leftOut: "the header names the project; an import makes another one",
  },
  apiKeys: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    leftOut: "only hashes of them exist; an import makes new ones",
  },
  identitySecrets: {
    lies: "reference",
    ids: null,
    inertTimestamps: ["created_at"],
    exported: { columns: { id: "id", sealed: "secret" } },
  },
};
