import type { Feature } from "../../../platform/feature.ts";
import { track } from "./track.ts";
import { trackBatch } from "./track-batch.ts";

export const tracking: Feature = { endpoints: [track, trackBatch] };
