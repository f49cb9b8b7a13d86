import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import type { FilledReceipt } from "../../content/email/public.ts";
import type { TemplateUser } from "../../content/template/template.pure.ts";
import { parseSender } from "../sender/mailbox.pure.ts";
import { mailOptions, readSenderSettings, senderFault, writeUntracked } from "./open-sender.ts";

/** Stands for the sender of a project that has none yet. */
const NO_SENDER = { name: null, address: "sender@example.com" };
/** Stands for the token of a delivery in the link to unsubscribe, because a preview has no delivery. */
const NO_TOKEN = "preview";

/**
 * The mail that a user would get, by the code that sends it, of a campaign or filled with data: all of it but its signature, the token of its delivery and what counts opens
 * and clicks. `fault` says what is missing before the project can send; it is null where nothing is.
 */
export async function previewEmail(
  ctx: Pick<Ctx, "app" | "db" | "projectId" | "now">,
  message: EmailMessage | FilledReceipt,
  { address, person }: { address: string; person: TemplateUser },
): Promise<{ mail: Buffer; fault: string | null }> {
  const { app, now } = ctx;
  const purpose = "email" in message ? "transactional" : "marketing";
  const settings = await readSenderSettings(ctx, purpose);
  const { name, address: from } = parseSender(settings["email.from"] ?? "") ?? NO_SENDER;
  const options = mailOptions(app, settings, { name, address: from });
  const messageId = `preview@${from.slice(from.indexOf("@") + 1)}`;
  const recipient = { address, person, token: NO_TOKEN, messageId, sentAt: now };
  return {
    mail: writeUntracked(message, options, recipient),
    fault: senderFault(app, settings, purpose),
  };
}
