import { apiId } from "../../../domain/ids.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { aloneLoop } from "../../../platform/loops/alone-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import { changeStatus, findCampaign } from "../../campaigns/authoring/public.ts";
import { findGoal } from "../../campaigns/goals/public.ts";
import { assess } from "../rules.ts";
import { findLaunchableAcrossProjects } from "./coverage-store.ts";
import { readSituation } from "./facts.ts";

const BY_ITSELF = { mode: "automatic", override: null, role: null } as const;

/** Launches a draft if all that it waited for is there still, now that it is locked; answers whether it did. */
async function launchIfEligible(app: App, projectId: string, campaignId: string): Promise<boolean> {
  return app.database.kysely.transaction().execute(async (db) => {
    const ctx = { app, db, projectId, now: app.clock() };
    const campaign = await findCampaign(db, projectId, campaignId, "for update");
    if (campaign === null) return false;
    // What was allowed names the goal as it was: no change of it may come between the look and the launch.
    if (campaign.goalId !== null) await findGoal(db, projectId, campaign.goalId, "lock");
    const { facts } = await readSituation(ctx, campaign);
    if (assess(facts).state !== "eligible") return false;
    await changeStatus(ctx, campaign, "launch", BY_ITSELF);
    return true;
  });
}

/**
 * Launches campaigns by themselves: drafts that a person allowed, and whose declared changes are all live. It looks for them, so that each
 * way to become eligible is covered alike: an approval, a deployment, another mode, the end of a pause.
 */
export const launchLoop = aloneLoop({
  name: "launch what is live",
  everyMs: 2 * SECOND_MS,
  async turn(app, signal) {
    const found = await findLaunchableAcrossProjects(app.database.kysely, app.clock());
    for (const { projectId, campaignId } of found) {
      if (signal.aborted) return;
      const about = { projectId, campaignId: apiId("cmp", campaignId) };
      try {
        if (await launchIfEligible(app, projectId, campaignId))
          app.log.info(about, "a campaign was launched: its changes are live");
      } catch (cause) {
        // A refusal between the look and the launch is no fault: the campaign waits. One fault must not keep others from launching.
        if (!(cause instanceof ApiError))
          app.log.error({ ...about, err: cause }, "a campaign was not launched");
      }
    }
  },
});
