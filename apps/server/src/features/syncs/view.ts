import { apiId, uuidFor } from "../../domain/ids.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { placeOfHost } from "../../platform/net/public-host.ts";
import { jsonFile, type OpenPlace, PlaceFault } from "./places/place.ts";
import { CLAIM } from "./rules.ts";
import { Place, type Sync } from "./schema.ts";
import { listSyncRows, type SyncRow } from "./store.ts";
import { readProgress } from "./writing/windows-store.ts";

/** The syncs of a project as the API shows them; one of them where an id is given. What is stored was checked when it was stored. */
export async function viewSyncs(db: Db, projectId: string, id?: string): Promise<Sync[]> {
  const rows = await listSyncRows(db, projectId, id);
  const progress = await readProgress(
    db,
    projectId,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    id: apiId("sync", row.id),
    lists: row.lists as Sync["lists"],
    format: row.format as Sync["format"],
    every: row.every as Sync["every"],
    to: Place.parse(row.destination),
    history: row.beginsAt === null,
    state: row.state as Sync["state"],
    isWriting: row.state === "on" && row.leaseOwner !== null,
    dueAt: row.state === "on" ? row.dueAt : null,
    succeededAt: row.succeededAt,
    failingSince: row.failingSince,
    fault: row.failingSince === null ? null : row.fault,
    progress: (row.lists as Sync["lists"]).map((list) => {
      const found = progress.find((each) => each.syncId === row.id && each.list === list);
      return {
        list,
        writtenUntil: found?.doneUntil ?? null,
        rows: found?.rows ?? 0,
        bytes: found?.bytes ?? 0,
      };
    }),
    createdAt: row.madeAt,
    changedAt: row.changedAt,
  }));
}

/** The sync of an id of the API. @throws ApiError not_found */
export async function requireSync(db: Db, projectId: string, id: string): Promise<SyncRow> {
  const [row] = await listSyncRows(db, projectId, uuidFor("sync", id));
  if (row === undefined) throw new ApiError("not_found", "Sync not found");
  return row;
}

/** The sync of an id of the API as it is shown. @throws ApiError not_found */
export async function viewSync(db: Db, projectId: string, id: string): Promise<Sync> {
  const [sync] = await viewSyncs(db, projectId, uuidFor("sync", id));
  if (sync === undefined) throw new ApiError("not_found", "Sync not found");
  return sync;
}

const refusal = (reason: string, message: string): ApiError =>
  new ApiError("conflict", message, { fields: { reason } });

type Terms = Pick<Config, "syncsPrivate" | "syncsFolder" | "dnsServer">;

/**
 * Refuses a place where no files may go. @throws ApiError invalid_request where the address is none, conflict where it is not https, leads to
 * this server or its network, or where projects write to no disk
 */
export async function assertMayWrite(
  { syncsPrivate, syncsFolder, dnsServer }: Terms,
  place: Place,
): Promise<void> {
  if ("folder" in place) {
    if (syncsFolder !== null) return;
    throw refusal("no_folders", "No project writes to the disk of this server: choose a bucket.");
  }
  const url = URL.parse(place.s3.endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new ApiError(
      "invalid_request",
      "to.s3.endpoint must be an https:// address without a name or a password",
    );
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new ApiError(
      "invalid_request",
      "to.s3.endpoint must be an address alone: bucket and prefix are fields of their own",
    );
  if (syncsPrivate) return;
  if (url.protocol !== "https:")
    throw refusal(
      "not_https",
      "to.s3.endpoint must be https://, so that nobody on the way reads what is sent there.",
    );
  const { at } = await placeOfHost(url.hostname, { dnsServer });
  if (at === "private")
    throw refusal(
      "private_address",
      `${url.hostname} leads to this server or its network. An operator can allow that (SYNCS_PRIVATE=1).`,
    );
}

/** What the file of a place says from which it is seen whose it is. */
const claimOf = (projectId: string, syncId: string) =>
  jsonFile({ sync: apiId("sync", syncId), project: projectId });

/** Puts the file into a place that says whose it is. @throws ApiError conflict where the place takes none, or has one */
export async function claimPlace(place: OpenPlace, projectId: string, syncId: string): Promise<void> {
  const isClaimed = await orRefusal(place.claim(CLAIM, claimOf(projectId, syncId)));
  if (!isClaimed) throw placeTaken();
}

/** Sees whether a place that is a sync's own takes files. @throws ApiError conflict where it does not */
export const tryPlace = (place: OpenPlace, projectId: string, syncId: string): Promise<void> =>
  orRefusal(place.put(CLAIM, claimOf(projectId, syncId)));

export const placeTaken = (): ApiError =>
  refusal("place_taken", "Another sync writes there, or has written there: choose another folder or prefix.");

/** A fault of a place as the answer to a request. @throws ApiError conflict */
async function orRefusal<T>(put: Promise<T>): Promise<T> {
  try {
    return await put;
  } catch (cause) {
    if (cause instanceof PlaceFault) throw refusal("not_writable", cause.message);
    throw cause;
  }
}
