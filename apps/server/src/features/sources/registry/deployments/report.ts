import type { Db } from "../../../../platform/db/db.ts";
import { compareReport } from "../rules.ts";
import {
  type DeploymentRow,
  dateBack,
  insertDeployment,
  lockDeployment,
  updateDeployment,
} from "./deployment-store.ts";

/** What came of a report about a deployment: its row, whether that is new or changed, or why the report contradicts it. */
export type ReportedDeployment =
  | { row: DeploymentRow; became: "new" | "changed" | "known" }
  | { refusal: string };

/**
 * Records a report about a deployment; what it leaves out stays as it is. With `isOpenAfterFailure` one of this provider that failed may be
 * run again, and succeed. Needs a transaction.
 */
export async function report(
  db: Db,
  row: DeploymentRow,
  given: Parameters<typeof compareReport>[1],
  now: number,
  { isOpenAfterFailure = false }: { isOpenAfterFailure?: boolean } = {},
): Promise<ReportedDeployment> {
  await dateBack(db, row, now);
  const inserted = await insertDeployment(db, row);
  if (inserted !== null) return { row: inserted, became: "new" };
  const known = await lockDeployment(db, row.projectId, row);
  const isOpen = isOpenAfterFailure && known.provider === row.provider && known.status === "failure";
  if (isOpen && given.status === "failure") return { row: known, became: "known" };
  const outcome = compareReport(isOpen ? { ...known, status: "pending" } : known, given, now);
  if (outcome === "known") return { row: known, became: "known" };
  if ("refusal" in outcome) return outcome;
  return { row: await updateDeployment(db, row.projectId, known, outcome.change), became: "changed" };
}
