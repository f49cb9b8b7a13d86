import { z } from "zod";
import { apiId } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { newUuid } from "../../platform/uuid.ts";
import { lockProject } from "../access/public.ts";
import { openPlace, sealKey } from "./places/open-place.ts";
import { placeText } from "./places/place-text.pure.ts";
import { MOST_SYNCS, NewPlace, type Place, Sync, SyncEvery, SyncFormat, SyncLists } from "./schema.ts";
import { insertSync, listSyncRows, readDatabaseClock } from "./store.ts";
import { assertMayWrite, claimPlace, placeTaken, viewSync } from "./view.ts";

/** A place without its key, and the key. */
function withoutKey(to: NewPlace): { place: Place; key: string | null } {
  if ("folder" in to) return { place: to, key: null };
  const { secretAccessKey, ...s3 } = to.s3;
  return { place: { s3 }, key: secretAccessKey };
}

/** @throws ApiError conflict where a project has no room for so many syncs more */
async function assertRoom(db: Db, projectId: string, more: number): Promise<void> {
  if ((await listSyncRows(db, projectId)).length + more <= MOST_SYNCS) return;
  throw new ApiError("conflict", `A project has at most ${MOST_SYNCS} syncs: delete one first.`, {
    fields: { reason: "too_many" },
  });
}

export const createSync = endpoint(
  {
    id: "createSync",
    method: "POST",
    path: "/api/people/syncs",
    audit: "made a sync",
    tag: "Syncs",
    summary: "Have lists written as files on a schedule",
    description:
      "What is there already is written at once. Before this answers, a small file that says whose it is was put into the place: so keys, bucket and address are right, and no other sync writes there.",
    keys: [],
    people: "owner",
    fresh: true,
    status: 201,
    body: z.object({
      lists: SyncLists,
      format: SyncFormat,
      every: SyncEvery,
      to: NewPlace,
      history: z
        .boolean()
        .optional()
        .describe("Whether events are written that are there already. By default they are."),
    }),
    example: { lists: ["events", "users"], format: "parquet", every: "hour", to: { folder: "warehouse" } },
    result: z.object({ sync: Sync.describe("The sync.") }),
    errors: ["conflict"],
    reasons: ["too_many", "no_folders", "not_https", "private_address", "place_taken", "not_writable"],
  },
  async (ctx, { body: { lists, format, every, to, history = true } }) => {
    const { app, db, projectId, now, by } = ctx;
    const { place, key } = withoutKey(to);
    await assertMayWrite(app.config, place);
    await assertRoom(db, projectId, 1);
    const id = newUuid(now);
    const isNew = await insertSync(db, projectId, {
      id,
      lists: [...new Set(lists)],
      format,
      every,
      place: placeText(place),
      destination: place,
      sealed: key === null ? null : sealKey(app.secrets, projectId, id, key),
      beginsAt: history ? null : await readDatabaseClock(db),
      by: by.kind,
      at: now,
    });
    if (!isNew) throw placeTaken();
    await claimPlace(openPlace(app, place, key ?? "", { isTrial: true }), projectId, id);
    // Two that are made at once would each count the others before there was the other one. Nothing waits for a store behind this lock.
    await lockProject(db, projectId);
    await assertRoom(db, projectId, 0);
    ctx.describe({ target: placeText(place), after: { lists, format, every } });
    return { sync: await viewSync(db, projectId, apiId("sync", id)) };
  },
);
