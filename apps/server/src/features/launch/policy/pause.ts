import type { Db } from "../../../platform/db/db.ts";
import type { Secrets } from "../../../platform/secrets/secrets.ts";
import { launchSettingGroup } from "../../campaigns/authoring/status/settings.pure.ts";
import { changeSettings } from "../../settings/public.ts";

/** Keeps every campaign of a project from launching by itself, or lets them launch so again. Needs a transaction. */
export async function pauseLaunches(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  { isPaused, by, now }: { isPaused: boolean; by: string; now: number },
): Promise<void> {
  const edit = { groups: [launchSettingGroup], by, now };
  await changeSettings(tx, secrets, projectId, { "launch.paused": String(isPaused) }, edit);
}
