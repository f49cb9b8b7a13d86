import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { type Port, port } from "../../../platform/runtime.ts";

/** What the campaigns of a goal do about a change of its holdout. Both are called in the transaction of the change. */
export type CampaignsOfGoal = {
  /** Locks them, before the goal is changed. */
  lock(ctx: Ctx, goalUuid: string): Promise<void>;
  /** Opens their new epochs, after the goal was changed. */
  follow(ctx: Ctx, goalUuid: string): Promise<void>;
};

/** The campaigns, which know their goals, plug in what becomes of them. */
export const campaignsOfGoal: Port<CampaignsOfGoal> = port("campaigns of a goal");
