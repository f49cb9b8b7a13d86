import { z } from "zod";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { pathId } from "../../../platform/http/contract/fields.ts";
import { requireSource } from "./people.ts";
import { mappingId } from "./schema.ts";
import { deleteMapping, listMappings } from "./store.ts";

export const removeMapping = endpoint(
  {
    id: "removeMapping",
    method: "DELETE",
    path: "/api/people/sources/{id}/mappings/{mappingId}",
    audit: "had campaigns wait for an environment no longer",
    tag: "Launches",
    summary: "Have campaigns wait for an environment no longer",
    keys: [],
    people: "owner",
    params: z.object({ id: pathId, mappingId }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { db, projectId } = ctx;
    await requireSource(ctx, params.id, "for update");
    const mappings = await listMappings(db, projectId, params.id);
    const mapping = mappings.find(({ id }) => id === uuidFor("map", params.mappingId));
    if (mapping === undefined) throw new ApiError("not_found", "Mapping not found");
    const { environment, scope, follows } = mapping;
    await deleteMapping(db, projectId, params.id, environment);
    ctx.describe({ target: params.id, before: { environment, scope, follows } });
  },
);
