import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import { compileEmail, fillEmail } from "../../content/email/public.ts";
import type { TemplateUser } from "../../content/template/template.pure.ts";
import { readSettings } from "../../settings/public.ts";
import { parseSender } from "../sender/mailbox.pure.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { mailOptions, senderFault } from "./open-sender.ts";

/** Stands for the sender of a project that has none yet. */
const NO_SENDER = { name: null, address: "sender@example.com" };
/** Stands for the token of a delivery in the link to unsubscribe, because a preview has no delivery. */
const NO_TOKEN = "preview";

/**
 * The mail that a user would get, by the code that sends it: all of it but its signature, the token of its delivery and what counts opens
 * and clicks. `fault` says what is missing before the project can send; it is null where nothing is.
 */
export async function previewEmail(
  { app, db, projectId, now }: Pick<Ctx, "app" | "db" | "projectId" | "now">,
  message: EmailMessage,
  { address, person }: { address: string; person: TemplateUser },
): Promise<{ mail: Buffer; fault: string | null }> {
  const settings = await readSettings(db, app.secrets, projectId, emailSettings);
  const { name, address: from } = parseSender(settings["email.from"] ?? "") ?? NO_SENDER;
  const compiled = compileEmail(message, {
    ...mailOptions(app, settings, { name, address: from }),
    track: { opens: false, clicks: false },
    signTarget: () => "",
  });
  const messageId = `preview@${from.slice(from.indexOf("@") + 1)}`;
  const mail = fillEmail(compiled, { address, person, token: NO_TOKEN, messageId, sentAt: now });
  return { mail, fault: senderFault(app, settings) };
}
