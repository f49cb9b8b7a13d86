import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { Sync } from "./schema.ts";
import { makeDue } from "./store.ts";
import { requireSync, viewSync } from "./view.ts";

export const runSync = endpoint(
  {
    id: "runSync",
    method: "POST",
    path: "/api/people/syncs/{id}/run",
    audit: "had a sync tried again",
    tag: "Syncs",
    summary: "Have a sync write what is due, now",
    description:
      "After a failure it is tried again by itself, at most an hour later: this is for not waiting. Nothing is written twice, and no hour or day before it is over.",
    keys: [],
    people: "owner",
    params: z.object({ id: pathId.describe("Id of the sync.") }),
    result: z.object({ sync: Sync.describe("The sync.") }),
    errors: ["not_found", "conflict"],
    reasons: ["off"],
  },
  async (ctx, { params: { id } }) => {
    const { db, projectId, now } = ctx;
    const { id: syncId, state, place } = await requireSync(db, projectId, id);
    if (state === "off")
      throw new ApiError("conflict", "This sync is off: switch it on first.", { fields: { reason: "off" } });
    await makeDue(db, projectId, syncId, now);
    ctx.describe({ target: place });
    return { sync: await viewSync(db, projectId, id) };
  },
);
