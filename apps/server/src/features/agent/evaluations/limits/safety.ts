import type { Db } from "../../../../platform/db/db.ts";
import { readSome } from "../../../settings/public.ts";
import { safetySettings } from "../settings.pure.ts";

/** What keeps a project's agents within bounds. `approvalHours`: for how long people may decide, and the agent may then apply. */
export type Safety = {
  loopPaused: boolean;
  approvalOverride: "require_human" | null;
  maxRunsPerDay: number;
  maxConcurrentCampaigns: number;
  approvalHours: number;
};

/** The bounds that people have set. @throws SettingError where one cannot be read: without bounds nothing is allowed */
export async function readSafety(db: Db, projectId: string): Promise<Safety> {
  const settings = await readSome(db, projectId, safetySettings, [
    "safety.loopPaused",
    "safety.approvalOverride",
    "safety.maxRunsPerDay",
    "safety.maxConcurrentCampaigns",
    "safety.approvalHours",
  ]);
  return {
    loopPaused: settings["safety.loopPaused"],
    approvalOverride: settings["safety.approvalOverride"],
    maxRunsPerDay: settings["safety.maxRunsPerDay"],
    maxConcurrentCampaigns: settings["safety.maxConcurrentCampaigns"],
    approvalHours: settings["safety.approvalHours"],
  };
}
