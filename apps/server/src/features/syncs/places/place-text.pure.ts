import type { Place } from "../schema.ts";

/** A place as people read it; no two syncs of a server have the same. */
export const placeText = (place: Place): string =>
  "s3" in place
    ? `${new URL(place.s3.endpoint).origin}/${place.s3.bucket}/${place.s3.prefix}`
    : `folder ${place.folder}`;
