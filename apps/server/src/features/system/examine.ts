import { houseTables, oneProject } from "../../domain/house-tables.ts";
import { type CheckFinding, houseChecks, recount } from "../../platform/checks.ts";
import type { Db } from "../../platform/db/db.ts";
import type { App } from "../../platform/runtime.ts";
import { lookAtKey } from "../../platform/secrets/canary.ts";
import { countRefusedAcrossProjects } from "../push/credentials/public.ts";

/** Whether every push provider takes the credentials that it was asked with. */
async function lookAtCredentials(db: Db, projectId: string | null): Promise<CheckFinding> {
  const startedAt = performance.now();
  const differences = await countRefusedAcrossProjects(db, projectId);
  const milliseconds = Math.round(performance.now() - startedAt);
  return {
    name: "push: no provider refuses a credential",
    invariant: 6,
    compares: "service",
    differences,
    milliseconds,
  };
}

/**
 * What the doctor does, at the command line and for the dashboard: every check of the house on one snapshot, over all projects or one of
 * them, then a look at the credentials of push, and at the secret key. Writes nothing.
 */
export async function* examine(app: App, db: Db, projectId: string | null): AsyncGenerator<CheckFinding> {
  yield* recount(db, app.ask(houseChecks)(), oneProject(projectId, app.ask(houseTables)()));
  yield await lookAtCredentials(db, projectId);
  const key = await lookAtKey(db, app.config, app.secrets);
  if (key !== null) yield key;
}
