import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { Sync } from "./schema.ts";
import { viewSync } from "./view.ts";

export const getSync = endpoint(
  {
    id: "getSync",
    method: "GET",
    path: "/api/people/syncs/{id}",
    tag: "Syncs",
    summary: "Read a schedule by which lists are written as files",
    keys: [],
    people: "approver",
    params: z.object({ id: pathId.describe("Id of the sync.") }),
    result: z.object({ sync: Sync.describe("The sync.") }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { params: { id } }) => ({ sync: await viewSync(db, projectId, id) }),
);
