import { z } from "zod";
import { job } from "../../../platform/db/jobs.ts";
import { MAILGUN_MAX_AGE } from "./signatures.ts";
import { forgetTokensAcrossProjects } from "./tokens-store.ts";

/** Twice as long as a signature holds: clocks of others go ahead of ours. */
const KEPT_MS = 2 * MAILGUN_MAX_AGE;

export const forgetReportTokens = job({
  name: "forget_report_tokens",
  payload: z.object({}),
  cron: "27 * * * *",
  handle: (app) => forgetTokensAcrossProjects(app.database.kysely, app.clock() - KEPT_MS),
});
