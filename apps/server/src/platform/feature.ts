import type { Db } from "./db/db.ts";
import type { Job } from "./db/jobs.ts";
import type { Endpoint } from "./http/endpoint.ts";
import type { PublicFile } from "./http/public-file.ts";

/** Something that must always hold, recounted by `tidings doctor`: 0 differences, or the house has a fault. */
export type Check = { name: string; countDifferences: (db: Db) => Promise<number> };

/** What a feature brings into the house. */
export type Feature = {
  endpoints?: readonly Endpoint[];
  jobs?: readonly Job[];
  checks?: readonly Check[];
  files?: readonly PublicFile[];
};
