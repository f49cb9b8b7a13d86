import { aloneLoop } from "../../../platform/alone-loop.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import { trimOutboxAcrossProjects } from "../../email/transport/public.ts";

/** The outbox is for looking at, not for keeping: what is old goes. */
export const trimOutbox = aloneLoop({
  name: "trim outbox",
  everyMs: 10 * MINUTE_MS,
  turn: (app) => trimOutboxAcrossProjects(app.database.kysely),
});
