import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import { openSender } from "./open-sender.ts";

/** A mail to a person of the team. What its texts say is plain: they have no personal fields. */
export type AlertMail = { to: string; content: EmailMessage };

/**
 * Mails a person of the team something about a project, by its own sender, at most once. It counts nowhere, is not tracked, and has no link to
 * unsubscribe. Answers why it did not leave, for the log; null where the mail server took it.
 */
export async function mailAlert(
  app: App,
  projectId: string,
  { to, content }: AlertMail,
): Promise<string | null> {
  const sender = await openSender(app, projectId);
  if ("fault" in sender) return sender.fault;
  const sentAt = app.clock();
  const messageId = `alert-${newUuid(sentAt)}@${sender.from.domain}`;
  const person = { id: to, traits: {} };
  const signed = await sender.writeAlone(content, { address: to, person, messageId, sentAt });
  const { kind, response } = await sender.transport.send(
    { from: sender.from.address, to, user: null },
    signed,
  );
  return kind === "accepted" ? null : response;
}
