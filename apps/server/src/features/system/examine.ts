import { lookAtKey } from "../../platform/canary.ts";
import { type Finding, houseChecks, recount } from "../../platform/checks.ts";
import type { Db } from "../../platform/db/db.ts";
import type { App } from "../../platform/runtime.ts";

/**
 * What the doctor does, at the command line and for the dashboard: every check of the house on one snapshot, over all projects or one of
 * them, then a look at the secret key. Writes nothing.
 */
export async function* examine(app: App, db: Db, projectId: string | null): AsyncGenerator<Finding> {
  yield* recount(db, app.ask(houseChecks)(), projectId);
  const key = await lookAtKey(db, app.config, app.secrets);
  if (key !== null) yield key;
}
