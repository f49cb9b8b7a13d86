import type { Feature } from "../../../domain/feature.ts";
import { track } from "./track.ts";
import { trackBatch } from "./track-batch.ts";

export const tracking: Feature = {
  room: "ingest/tracking",
  endpoints: [track, trackBatch],
  tags: { SDK: "What a page or an app sends, and what it asks for. With the publishable key." },
};
