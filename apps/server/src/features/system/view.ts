import type { RunRow } from "./doctor-store.ts";
import type { DoctorRun } from "./schema.ts";

/** A run of the doctor as the dashboard shows it. */
export function viewRun(run: RunRow): DoctorRun {
  const { requestedAt, requestedBy, startedAt, endedAt, checks, findings, fault } = run;
  const ended = fault === null ? "done" : "failed";
  const open = startedAt === null ? "waiting" : "running";
  return {
    state: endedAt === null ? open : ended,
    requestedAt,
    requestedBy,
    startedAt,
    endedAt,
    checks,
    findings,
    fault,
    differences: findings.reduce((sum, { differences }) => sum + differences, 0),
  };
}
