import type { Feature } from "../../domain/feature.ts";
import { backupLoop } from "./backup-loop.ts";
import { backupMetrics } from "./metrics.ts";

export const backups: Feature = {
  room: "backups",
  loops: [backupLoop],
  metrics: [backupMetrics],
};
