import type { App } from "../../../../platform/runtime.ts";
import type { StepPlan, StepUser } from "../../../deliveries/public.ts";
import { planMailStep } from "../../../email/sending/public.ts";
import { planPushStep } from "../../../push/sending/public.ts";
import { planWebStep } from "../../../web/public.ts";
import { readStepChannel } from "./message-store.ts";

const PLANS = { email: planMailStep, push: planPushStep, web_inapp: planWebStep };

/** Plans the message of a step, over the channel of its campaign, for users who have arrived there; null where the campaign is gone. */
export async function planStep(
  app: App,
  which: { projectId: string; campaignId: string },
  users: readonly StepUser[],
): Promise<StepPlan | null> {
  const channel = await readStepChannel(app.database.kysely, which.projectId, which.campaignId);
  return channel === null ? null : PLANS[channel](app, which, users);
}
