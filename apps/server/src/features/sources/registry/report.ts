import type { Db } from "../../../platform/db/db.ts";
import {
  type DeploymentRow,
  insertDeployment,
  lockDeployment,
  updateDeployment,
} from "./deployment-store.ts";
import { compareReport } from "./rules.ts";

/** What came of a report about a deployment: its row, whether that is new or changed, or why the report contradicts it. */
export type Reported = { row: DeploymentRow; became: "new" | "changed" | "known" } | { refusal: string };

/** Records a report about a deployment; what it leaves out stays as it is. Needs a transaction. */
export async function report(
  db: Db,
  row: DeploymentRow,
  given: Parameters<typeof compareReport>[1],
  now: number,
): Promise<Reported> {
  const inserted = await insertDeployment(db, row);
  if (inserted !== null) return { row: inserted, became: "new" };
  const known = await lockDeployment(db, row.projectId, row);
  const outcome = compareReport(known, given, now);
  if (outcome === "known") return { row: known, became: "known" };
  if ("refusal" in outcome) return outcome;
  return { row: await updateDeployment(db, row.projectId, known.id, outcome.change), became: "changed" };
}
