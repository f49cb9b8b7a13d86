import type { LaunchGate } from "../../campaigns/authoring/public.ts";
import { readSettings } from "../../settings/public.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { senderFault } from "./open-sender.ts";

/** An email campaign launches once its project can send mail. */
export const emailGate: LaunchGate = async ({ app, db, projectId }, { channel }) => {
  if (channel !== "email") return null;
  const settings = await readSettings(db, app.secrets, projectId, emailSettings);
  const message = senderFault(app, settings);
  return message === null ? null : { reason: "channel_not_ready", message };
};
