import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { Import } from "./schema.ts";
import { requireImport, toImport } from "./view.ts";

export const getImport = endpoint(
  {
    id: "getImport",
    method: "GET",
    path: "/api/v1/imports/{id}",
    tag: "Imports",
    summary: "Read how far a file is",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "imports",
    tool: {},
    params: z.object({ id: pathId.describe("Id of the import.") }),
    result: z.object({ import: Import.describe("The file that is brought in.") }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { params: { id } }) => ({
    import: toImport(await requireImport(db, projectId, id)),
  }),
);
