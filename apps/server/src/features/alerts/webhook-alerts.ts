import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import type { App } from "../../platform/runtime.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";
import type { EmailMessage } from "../content/email/message.pure.ts";
import { mailAlert } from "../email/sending/public.ts";
import { listOwnerAddresses } from "../people/public.ts";
import { type FaultyWebhook, receiverHost, takeFaultAlertsAcrossProjects } from "../webhooks/public.ts";

const REASONS: Readonly<Record<FaultyWebhook["offBecause"], string>> = {
  gone: "It answered 410, which says that it does not exist any more.",
  failing: "No message has arrived there for five days.",
  flooded: "More than 1,000,000 messages wait for it, because it does not take them as fast as they come.",
};

/** The mail about a webhook that is off. A host has no characters that mean something in Markdown or in a template. */
function alertOf({ url, offBecause }: FaultyWebhook, pageUrl: string): EmailMessage {
  const host = receiverHost(url);
  return {
    subject: `The webhook to ${host} is off`,
    body: [
      `Tidings does not send messages to ${host} any more. ${REASONS[offBecause]}`,
      "What happens from now on is not kept for it. Messages that wait are kept for 30 days, and leave once it is switched on again.",
    ].join("\n\n"),
    cta: { label: "Look at the webhook", url: pageUrl },
  };
}

/** Mails the owners of projects that a webhook of theirs was switched off, where their project can send mail. */
async function sendAlerts(app: App): Promise<void> {
  const { kysely } = app.database.background;
  for (const webhook of await takeFaultAlertsAcrossProjects(kysely, app.clock())) {
    const { projectId } = webhook;
    const content = alertOf(webhook, `${app.publicUrl()}/app/p/${projectId}/webhooks`);
    for (const to of await listOwnerAddresses(kysely, projectId)) {
      const fault = await mailAlert(app, projectId, { to, content });
      if (fault !== null) app.log.warn({ projectId, fault }, "an owner got no mail that a webhook is off");
    }
  }
}

export const webhookAlertsLoop = aloneLoop({
  name: "mail that webhooks are off",
  everyMs: MINUTE_MS,
  turn: sendAlerts,
});
