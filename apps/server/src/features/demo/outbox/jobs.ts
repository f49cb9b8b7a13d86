import { z } from "zod";
import { job } from "../../../platform/db/jobs.ts";
import { trimOutboxAcrossProjects } from "../../transport/public.ts";

/** The outbox is for looking at, not for keeping: what is old goes. */
export const trimOutbox = job({
  name: "trim_outbox",
  payload: z.object({}),
  cron: "*/10 * * * *",
  handle: (app) => trimOutboxAcrossProjects(app.database.kysely),
});
