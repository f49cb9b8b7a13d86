import type { Answer } from "@tidings/client";

export type System = Answer<"getSystem">;
export type DoctorRun = NonNullable<Answer<"getDoctor">["run"]>;
export type DoctorFinding = DoctorRun["findings"][number];

/** Below this share of free room a disk is nearly full. */
const LITTLE = 0.1;

export const isNearlyFull = ({ disk }: System): boolean =>
  disk !== null && disk.freeBytes < LITTLE * disk.totalBytes;

/** Whether a run of the doctor has not ended. */
export const isUnfinished = ({ state }: DoctorRun): boolean => state === "waiting" || state === "running";

/** The findings that say that something is wrong. */
export const wrongOf = ({ findings }: DoctorRun): DoctorFinding[] =>
  findings.filter(({ differences }) => differences > 0);

/** How long the checks took together, in seconds. */
export const secondsOf = ({ findings }: DoctorRun): number =>
  findings.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;

/** A line that makes a backup of this server's database. */
export const backupLines = ({ database: { isEmbedded } }: System): string =>
  isEmbedded
    ? "npx tidings backup --check"
    : 'pg_dump --format=custom --file="tidings-$(date +%F).dump" "$DATABASE_URL"';

/** Whether the newest backup is older than two of its periods, where the server makes them and has had the time for it. */
export function isBackupLate({ backups, evaluatedAt, startedAt }: System): boolean {
  if (backups === null || backups.everyMs === null) return false;
  const newestAt = backups.newest?.startedAt ?? 0;
  return evaluatedAt - Math.max(newestAt, startedAt) > 2 * backups.everyMs;
}
