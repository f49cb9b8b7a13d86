import { houseTables, oneProject } from "../../domain/house-tables.ts";
import { type CheckFinding, houseChecks, recount, recountIn } from "../../platform/checks.ts";
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

/** What the doctor needs of the house. */
export type Examined = Pick<App, "ask" | "config" | "secrets">;

/**
 * What the doctor does, at the command line and for the dashboard: every check of the house on one snapshot, over all projects or one of
 * them, then a look at the credentials of push, and at the secret key. Writes nothing.
 */
export async function* examine(
  house: Examined,
  db: Db,
  projectId: string | null,
): AsyncGenerator<CheckFinding> {
  yield* recount(db, house.ask(houseChecks)(), oneProject(projectId, house.ask(houseTables)()));
  yield* lookBeside(house, db, projectId);
}

/** The same over all projects, in a transaction that the caller has open, and ends. */
export async function* examineIn(house: Examined, tx: Db): AsyncGenerator<CheckFinding> {
  yield* recountIn(tx, house.ask(houseChecks)());
  yield* lookBeside(house, tx, null);
}

/** What no statement over the rows of projects can say. */
async function* lookBeside(
  { config, secrets }: Examined,
  db: Db,
  projectId: string | null,
): AsyncGenerator<CheckFinding> {
  yield await lookAtCredentials(db, projectId);
  const key = await lookAtKey(db, config, secrets);
  if (key !== null) yield key;
}
