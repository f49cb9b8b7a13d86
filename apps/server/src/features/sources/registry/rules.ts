import type { DeploymentStatus, RecordDeploymentBody, SourceState } from "./schema.ts";

const MINUTE_MS = 60_000;

/** A report may be so much ahead of this server's clock, in milliseconds: a later deployment would be the current one until then. */
export const MOST_AHEAD_MS = 5 * MINUTE_MS;

/** How often a source is looked at, in milliseconds. */
export const EVERY_MS = MINUTE_MS;

/** What is stored of a deployment, as far as a further report can contradict it. Instants are epoch milliseconds. */
export type KnownDeployment = {
  sha: string;
  status: DeploymentStatus;
  deployedAt: number;
  url: string | null;
  label: string | null;
};

/** What becomes of a report about a deployment that is known: nothing, a change of its row, or a refusal. */
export type ReportOutcome = "known" | { change: KnownDeployment } | { refusal: string };

/**
 * Compares a report with the deployment of the same id. A pending one becomes final once; a late `pending` changes nothing, and neither
 * does a repeat.
 */
export function compareReport(
  known: KnownDeployment,
  report: Pick<RecordDeploymentBody, "sha" | "status" | "deployedAt" | "url" | "label">,
  now: number,
): ReportOutcome {
  const refuse = (message: string): ReportOutcome => ({ refusal: message });
  if (report.sha !== known.sha) return refuse(`deploymentId is known with another sha: ${known.sha}.`);
  const isFinal = known.status !== "pending";
  if (isFinal && report.status === "pending") return "known";
  if (isFinal && report.status !== known.status)
    return refuse(`This deployment ended with ${known.status}, which is final.`);
  const {
    deployedAt = isFinal || report.status === "pending" ? known.deployedAt : now,
    url = known.url,
    label = known.label,
  } = report;
  const change = { sha: known.sha, status: report.status, deployedAt, url, label };
  const isSame = deployedAt === known.deployedAt && url === known.url && label === known.label;
  if (isFinal) return isSame ? "known" : refuse("This deployment is final: deployedAt, url and label stay.");
  return isSame && report.status === known.status ? "known" : { change };
}

/** A source that worked is given up after so many failures in a row. */
const GIVEN_UP_AFTER = 3;

/** The state of a source after a fetch that failed: one that never worked says so at once. */
export function stateAfterFailure(
  { state, failures }: { state: SourceState; failures: number },
  reason: string,
): { state: SourceState; reason: string | null; failures: number } {
  const again = failures + 1;
  if (state === "ok" && again < GIVEN_UP_AFTER) return { state, reason: null, failures: again };
  return { state: "unavailable", reason, failures: again };
}
