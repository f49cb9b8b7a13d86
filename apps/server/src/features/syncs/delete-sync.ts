import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { lockSync, removeSync } from "./store.ts";
import { requireSync } from "./view.ts";

export const deleteSync = endpoint(
  {
    id: "deleteSync",
    method: "DELETE",
    path: "/api/people/syncs/{id}",
    audit: "deleted a sync",
    tag: "Syncs",
    summary: "Delete a schedule by which lists are written as files",
    description: "The files stay where they are. No other sync can be made with the same place.",
    keys: [],
    people: "owner",
    fresh: true,
    params: z.object({ id: pathId.describe("Id of the sync.") }),
    errors: ["not_found"],
  },
  async (ctx, { params: { id } }) => {
    const { db, projectId, now } = ctx;
    const { id: syncId, place } = await requireSync(db, projectId, id);
    await lockSync(db, projectId, syncId);
    await removeSync(db, projectId, syncId, now);
    ctx.describe({ target: place });
  },
);
