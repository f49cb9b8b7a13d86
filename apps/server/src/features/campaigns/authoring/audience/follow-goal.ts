import type { CampaignsOfGoal } from "../../goals/public.ts";
import { lockCampaignsOfGoal, openEpochs } from "./epoch-store.ts";

/** Campaigns begin a new epoch when the holdout of their goal changes. */
export const followGoal: CampaignsOfGoal = {
  lock: ({ db, projectId }, goalId) => lockCampaignsOfGoal(db, projectId, goalId),
  async follow({ db, projectId, now }, goalId) {
    // Campaigns that took this goal in the meantime were not locked before.
    await lockCampaignsOfGoal(db, projectId, goalId);
    await openEpochs(db, projectId, { goalId }, now);
  },
};
