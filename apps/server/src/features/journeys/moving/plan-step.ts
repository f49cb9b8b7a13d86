import type { UserRef } from "../../../domain/ids.ts";
import type { App } from "../../../platform/runtime.ts";
import type { StepPlan } from "../../deliveries/public.ts";
import { planMailStep } from "../../email/sending/public.ts";
import { planPushStep } from "../../push/sending/public.ts";
import { isPushStep } from "./message-store.ts";

/** Plans the message of a step, over the channel of its campaign, for users who have arrived there; null where the campaign is gone. */
export async function planStep(
  app: App,
  which: { projectId: string; campaignId: string },
  users: readonly (UserRef & { occasion: number })[],
): Promise<StepPlan | null> {
  const isPush = await isPushStep(app.database.kysely, which.projectId, which.campaignId);
  return isPush ? planPushStep(app, which, users) : planMailStep(app, which, users);
}
