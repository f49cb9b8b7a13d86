import { aloneLoop } from "../../../../platform/loops/alone-loop.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { MAILGUN_MAX_AGE } from "./signatures.ts";
import { forgetTokensAcrossProjects } from "./tokens-store.ts";

/** Twice as long as a signature is valid, because the provider's clock may be ahead of ours. */
const KEPT_MS = 2 * MAILGUN_MAX_AGE;

export const forgetReportTokens = aloneLoop({
  name: "forget report tokens",
  everyMs: HOUR_MS,
  deletesByAge: true,
  turn: (app) => forgetTokensAcrossProjects(app.database.kysely, app.clock() - KEPT_MS),
});
