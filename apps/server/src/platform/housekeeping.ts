import { z } from "zod";
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
export const housekeeping: Feature = { jobs: [forgetIdempotencyKeys] };
