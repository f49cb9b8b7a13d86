import type { Db } from "../../platform/db/db.ts";
import type { CampaignTiming } from "../campaigns/authoring/timing.pure.ts";
import { readSome } from "../settings/public.ts";
import { clockNamed, type ReaderClock } from "./reader-clock.pure.ts";
import { timingSettings } from "./settings.pure.ts";

/** The clock of a project, by which the plan of a campaign finds its hours; one without an hour needs none, and nothing is read for it. */
export async function projectClock(
  db: Db,
  projectId: string,
  { sendTime }: Pick<CampaignTiming, "sendTime">,
): Promise<ReaderClock> {
  if (sendTime === null) return clockNamed("UTC");
  const { "time.zone": name } = await readSome(db, projectId, timingSettings, ["time.zone"]);
  return clockNamed(name);
}
