import { join } from "node:path";
import { openWayOut } from "../../../platform/net/way-out.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import type { Secrets } from "../../../platform/secrets/secrets.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { Place } from "../schema.ts";
import type { SyncRow } from "../store.ts";
import { openBucket } from "./bucket.ts";
import { openFolder } from "./folder.ts";
import { type OpenPlace, PlaceFault } from "./place.ts";

/** How long a store may take for one file. */
const PUT_MS = 5 * MINUTE_MS;
/** The same while a request waits for it, in a transaction that PostgreSQL ends after 20 seconds. There may be two. */
const TRIAL_MS = 8 * SECOND_MS;
/** What of an answer is read. */
const KEPT_BYTES = 4_096;

const wayOutFor = (deadlineMs: number) =>
  resource(({ config: { dnsServer, syncsPrivate } }) =>
    openWayOut({ dnsServer, allowPrivate: syncsPrivate, deadlineMs, keptBytes: KEPT_BYTES }),
  );

/** The connections to stores of customers. */
const wayOut = wayOutFor(PUT_MS);
const wayOutForTrials = wayOutFor(TRIAL_MS);

/** What the key of a sync is sealed for. */
const boundTo = (projectId: string, id: string): string => `sync ${projectId} ${id}`;

export const sealKey = (secrets: Secrets, projectId: string, id: string, key: string): Buffer =>
  secrets.seal(key, boundTo(projectId, id));

/**
 * The place of a sync whose key is known. `isTrial`: a request waits for it. @throws PlaceFault where the server has no such place
 */
export function openPlace(
  app: App,
  place: Place,
  secretAccessKey: string,
  { isTrial, signal }: { isTrial: boolean; signal?: AbortSignal },
): OpenPlace {
  if ("s3" in place)
    return openBucket({ ...place.s3, secretAccessKey }, app.get(isTrial ? wayOutForTrials : wayOut), signal);
  const { syncsFolder } = app.config;
  if (syncsFolder === null)
    throw new PlaceFault("The operator of this server lets no project write to its disk.");
  return openFolder(join(syncsFolder, place.folder));
}

/** The place of a stored sync, which takes no more files once `signal` is aborted. @throws PlaceFault */
export function placeOf(
  app: App,
  { id, projectId, destination, sealed }: SyncRow,
  signal: AbortSignal,
): OpenPlace {
  const key = sealed === null ? "" : app.secrets.open(sealed, boundTo(projectId, id));
  return openPlace(app, Place.parse(destination), key, { isTrial: false, signal });
}
