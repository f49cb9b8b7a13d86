import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { patch, pathId } from "../../platform/http/contract/fields.ts";
import { openPlace, sealKey } from "./places/open-place.ts";
import { NewKeys, Place, Sync, SyncLists } from "./schema.ts";
import { changeSyncRow, lockSync, type SyncChange } from "./store.ts";
import { assertMayWrite, requireSync, tryPlace, viewSync } from "./view.ts";

export const changeSync = endpoint(
  {
    id: "changeSync",
    method: "PATCH",
    path: "/api/people/syncs/{id}",
    audit: "changed a sync",
    tag: "Syncs",
    summary: "Change which lists a sync writes, its keys, or switch it on or off",
    description:
      "A list that is added begins where it would have begun when the sync was made. A sync that is switched on again goes on where it stopped. Its place, format and rhythm stay: what reads the files relies on them.",
    keys: [],
    people: "owner",
    fresh: true,
    params: z.object({ id: pathId.describe("Id of the sync.") }),
    body: patch({
      lists: SyncLists.optional(),
      state: z.enum(["on", "off"]).optional().describe("Switches it on or off."),
      keys: NewKeys.optional(),
    }),
    example: { state: "off" },
    result: z.object({ sync: Sync.describe("The sync.") }),
    errors: ["not_found", "conflict"],
    reasons: ["no_keys", "not_https", "private_address", "not_writable"],
  },
  async (ctx, { params: { id }, body: { lists, state, keys } }) => {
    const { app, db, projectId, now } = ctx;
    const { id: syncId } = await requireSync(db, projectId, id);
    await lockSync(db, projectId, syncId);
    const before = await requireSync(db, projectId, id);
    const change: SyncChange = { state, lists: lists === undefined ? undefined : [...new Set(lists)] };
    if (keys !== undefined) {
      const place = Place.parse(before.destination);
      if ("folder" in place)
        throw new ApiError("conflict", "It writes to a folder of the server, which has no keys.", {
          fields: { reason: "no_keys" },
        });
      await assertMayWrite(app.config, place);
      const { accessKeyId, secretAccessKey } = keys;
      const changed: Place = { s3: { ...place.s3, accessKeyId } };
      await tryPlace(openPlace(app, changed, secretAccessKey, { isTrial: true }), projectId, syncId);
      change.keys = {
        destination: changed,
        sealed: sealKey(app.secrets, projectId, syncId, secretAccessKey),
      };
    }
    await changeSyncRow(db, projectId, syncId, change, now);
    const after = await viewSync(db, projectId, id);
    ctx.describe({
      target: before.place,
      before: { lists: before.lists, state: before.state },
      after: { lists: after.lists, state: after.state, ...(keys === undefined ? {} : { keys: "changed" }) },
    });
    return { sync: after };
  },
);
