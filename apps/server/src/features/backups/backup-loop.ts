import { requestRate } from "../../platform/http/request-rate.ts";
import { loop } from "../../platform/loops/loops.ts";
import { paceBeside } from "../../platform/pace/pace.pure.ts";
import type { App } from "../../platform/runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { isDue as isPast } from "../../platform/time/far-ahead.ts";
import { BackupFault, BackupUnderWay } from "./backup-fault.ts";
import { makeBackup } from "./make-backup.ts";
import { backupsOf, faultOfBackups, keepFault } from "./state.ts";

const LOOK_AGAIN_MS = 30 * SECOND_MS;
/** How long after a failure it is tried again. */
const AGAIN_MS = 10 * MINUTE_MS;

/** Whether a backup is due: by the newest one in the folder, by the command or a server, and some time after a failure. */
async function isDue(app: App, everyMs: number): Promise<boolean> {
  const now = app.clock();
  const fault = faultOfBackups(app);
  if (fault !== null && !isPast(fault.at + AGAIN_MS, now, AGAIN_MS)) return false;
  const [newest] = await backupsOf(app);
  // The command made one since.
  if (fault !== null && newest !== undefined && newest.startedAt >= fault.at) keepFault(app, null);
  return newest === undefined || isPast(newest.startedAt + everyMs, now, everyMs);
}

/** Makes a backup of the embedded database as often as the operator wants one. */
export const backupLoop = loop({
  name: "back up the database",
  restMs: LOOK_AGAIN_MS,
  async turn(app, signal) {
    const { folder, everyMs, keep } = app.config.backups;
    if (everyMs === null || !(await isDue(app, everyMs))) return false;
    try {
      const { config, database, clock, log } = app;
      const { path, bytes, startedAt, endedAt } = await makeBackup({
        config,
        database,
        clock,
        folder,
        keep,
        signal,
        restAfter: (tookMs) => paceBeside(app.get(requestRate).perSecond(), tookMs).restMs,
      });
      keepFault(app, null);
      log.info({ path, bytes, milliseconds: endedAt - startedAt }, "made a backup");
    } catch (cause) {
      // The server stops. The next start begins again.
      if (signal.aborted || cause instanceof BackupUnderWay) return false;
      const reason =
        cause instanceof BackupFault ? cause.message : "No backup was made. The log of the server says more.";
      keepFault(app, { at: app.clock(), reason });
      app.log.error({ err: cause }, "no backup was made");
    }
    return false;
  },
});
