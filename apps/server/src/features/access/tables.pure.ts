import type { RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    prj: "projects";
  }
}

export const tables: RoomTables = {
  organizations: { lies: "reference", leftOut: "an import joins the organization that is there" },
  projects: {
    lies: "reference",
    ids: "prj",
    refersTo: ["organizations"],
    leftOut: "the header names the project; an import makes another one",
  },
  apiKeys: { lies: "reference", leftOut: "only hashes of them exist; an import makes new ones" },
  identitySecrets: { lies: "reference", exported: { columns: { id: "id", sealed: "secret" } } },
};
