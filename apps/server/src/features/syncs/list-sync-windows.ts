import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId, queryInt } from "../../platform/http/contract/fields.ts";
import { SyncList, SyncWindow } from "./schema.ts";
import { requireSync } from "./view.ts";
import { listWindows } from "./writing/windows-store.ts";

const MOST = 100;

export const listSyncWindows = endpoint(
  {
    id: "listSyncWindows",
    method: "GET",
    path: "/api/people/syncs/{id}/windows",
    tag: "Syncs",
    summary: "List what a sync has written",
    description: "The latest first.",
    keys: [],
    people: "approver",
    params: z.object({ id: pathId.describe("Id of the sync.") }),
    query: z.object({
      list: SyncList.optional().describe("Only windows of this list."),
      skip: queryInt(0, 1_000_000, 0).describe("How many of the latest to leave out."),
      limit: queryInt(1, MOST, 50).describe("How many at most."),
    }),
    result: z.object({
      windows: z.array(SyncWindow).max(MOST).describe("The windows."),
      more: z.boolean().describe("Whether there are further ones."),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { params: { id }, query: { list, skip, limit } }) => {
    const { id: syncId } = await requireSync(db, projectId, id);
    const rows = await listWindows(db, projectId, syncId, { list, skip, limit: limit + 1 });
    return { windows: rows.slice(0, limit), more: rows.length > limit };
  },
);
