import type { LaunchGate } from "../../campaigns/authoring/public.ts";
import { readSenderSettings, senderFault } from "./open-sender.ts";

/** A campaign of email launches once its project can send such mail. */
export const emailGate: LaunchGate = async (ctx, { channel, purpose }) => {
  if (channel !== "email") return null;
  const settings = await readSenderSettings(ctx, purpose);
  const message = senderFault(ctx.app, settings, purpose);
  return message === null ? null : { reason: "channel_not_ready", message };
};
