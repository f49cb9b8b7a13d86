import type { Db } from "../../../platform/db/db.ts";
import type { Secrets } from "../../../platform/secrets/secrets.ts";
import { changeSettings } from "../../settings/public.ts";

/** Keeps every campaign of a project from launching by itself, or lets them launch so again. Needs a transaction. */
export async function pauseLaunches(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  { isPaused, by, now }: { isPaused: boolean; by: string; now: number },
): Promise<void> {
  await changeSettings(tx, secrets, projectId, { "launch.paused": String(isPaused) }, { by, now });
}
