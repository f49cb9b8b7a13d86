import { resource } from "../../platform/runtime.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { backupsOf, faultOfBackups } from "./state.ts";

/** How old the newest backup is, where the server makes them. */
export const backupMetrics = resource((app) => {
  if (app.config.backups.everyMs === null) return;
  app.metrics.gauges(
    {
      tidings_backup_newest_timestamp_seconds:
        "When the newest backup was begun, in seconds since 1970; 0 where there is none.",
      tidings_backup_failing: "Whether the last attempt to make a backup failed.",
    },
    async () => ({
      tidings_backup_newest_timestamp_seconds: ((await backupsOf(app))[0]?.startedAt ?? 0) / SECOND_MS,
      tidings_backup_failing: faultOfBackups(app) === null ? 0 : 1,
    }),
  );
});
