import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { type Port, port } from "../../../platform/runtime.ts";
import { assertLaunchAllowed, type Guarded } from "./guardrails.ts";

/** Why a campaign may not launch now: a word for programs, and a sentence that says what to do. */
export type LaunchRefusal = { reason: "channel_not_ready"; message: string };

/**
 * Answers why a campaign may not launch now, or null. `id` is its UUID. Called in the transaction of the launch, with the campaign
 * locked or just inserted.
 */
export type LaunchGate = (
  ctx: Ctx,
  campaign: Pick<Guarded, "id" | "channel">,
) => Promise<LaunchRefusal | null>;

/** Features that may refuse a launch plug in their gates, which are called in the order of features.ts. */
export const launchGates: Port<LaunchGate> = port("launch gates");

/**
 * The one door of every launch: the guardrails of the goal, then the gates. Needs the transaction of the launch.
 * @throws ApiError `conflict` with the reason and message of the first that refuses
 */
export async function assertMayLaunch(ctx: Ctx, campaign: Guarded): Promise<void> {
  await assertLaunchAllowed(ctx, campaign);
  for (const gate of ctx.app.askAll(launchGates)) {
    const refusal = await gate(ctx, campaign);
    if (refusal !== null)
      throw new ApiError("conflict", refusal.message, { fields: { reason: refusal.reason } });
  }
}
