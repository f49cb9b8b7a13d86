import { aloneLoop } from "../../../platform/loops/alone-loop.ts";
import { MINUTE_MS } from "../../../platform/time/clock.ts";
import { trimCaughtMailAcrossProjects } from "../../email/transport/public.ts";

/** Deletes old mail from the mail catcher, which keeps only the newest of each project. */
export const trimCaughtMail = aloneLoop({
  name: "trim outbox",
  everyMs: 10 * MINUTE_MS,
  turn: (app) => trimCaughtMailAcrossProjects(app.database.kysely),
});
