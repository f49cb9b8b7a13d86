import { z } from "zod";
import { countStrayLanesAcrossProjects, countUnansweredAcrossProjects } from "./db/check-store.ts";
import { job } from "./db/jobs.ts";
import type { Feature } from "./feature.ts";
import { forgetOldKeysAcrossProjects } from "./http/idempotency.ts";

const forgetIdempotencyKeys = job({
  name: "forget_idempotency_keys",
  payload: z.object({}),
  cron: "17 * * * *",
  handle: (app) => forgetOldKeysAcrossProjects(app.database.kysely, app.clock()),
});

/** What the platform itself keeps in order. */
export const housekeeping: Feature = {
  jobs: [forgetIdempotencyKeys],
  checks: [
    {
      name: "rows: each lies in the lane of its key",
      invariant: 1,
      compares: "facts",
      countDifferences: countStrayLanesAcrossProjects,
    },
    {
      name: "requests: what was done under an Idempotency-Key has its answer",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnansweredAcrossProjects,
    },
  ],
};
