import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { type Port, port } from "../../../platform/runtime.ts";

/** What keeps a campaign's channel from sending, in a sentence that says what to do; null when nothing does. */
type Readiness = (ctx: Ctx, campaignUuid: string) => Promise<string | null>;

/** The channels that send by themselves know whether they can; the web needs nothing. */
export const emailReadiness: Port<Readiness> = port("email readiness");

export const pushReadiness: Port<Readiness> = port("push readiness");

/** @throws ApiError `channel_not_ready` when what the campaign needs to be sent is missing. */
export async function assertChannelReady(
  ctx: Ctx,
  { id, channel }: { id: string; channel: "web_inapp" | "email" | "push" },
): Promise<void> {
  if (channel === "web_inapp") return;
  const fault = await ctx.app.ask(channel === "email" ? emailReadiness : pushReadiness)(ctx, id);
  if (fault !== null) throw new ApiError("conflict", fault, { fields: { reason: "channel_not_ready" } });
}
