import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { MOST_SYNCS, Sync } from "./schema.ts";
import { viewSyncs } from "./view.ts";

export const listSyncs = endpoint(
  {
    id: "listSyncs",
    method: "GET",
    path: "/api/people/syncs",
    tag: "Syncs",
    summary: "List the schedules by which lists are written as files",
    keys: [],
    people: "approver",
    result: z.object({
      syncs: z.array(Sync).max(MOST_SYNCS).describe("The syncs, the oldest first."),
      folders: z.boolean().describe("Whether this server writes to folders of its own."),
    }),
  },
  async ({ app, db, projectId }) => ({
    syncs: await viewSyncs(db, projectId),
    folders: app.config.syncsFolder !== null,
  }),
);
