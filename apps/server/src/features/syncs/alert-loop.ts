import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import type { App } from "../../platform/runtime.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";
import type { EmailMessage } from "../content/email/message.pure.ts";
import { mailAlert } from "../email/sending/public.ts";
import { listOwnerAddresses } from "../people/public.ts";
import { takeFailureAlertsAcrossProjects } from "./writing/turn-store.ts";

/** The mail that a sync fails. What a store answered is for the page, and not for a mail. */
const alertOf = (pageUrl: string): EmailMessage => ({
  subject: "A sync cannot write its files",
  body: [
    "Tidings writes lists of your project as files on a schedule. The last attempts failed, one after the other.",
    "It is tried again, at least once an hour, and nothing is left out once it works: the page says why it fails.",
  ].join("\n\n"),
  cta: { label: "Look at the sync", url: pageUrl },
});

/** Mails the owners of projects that a sync of theirs fails, where their project can send mail. */
async function sendAlerts(app: App): Promise<void> {
  const { kysely } = app.database.background;
  for (const { projectId } of await takeFailureAlertsAcrossProjects(kysely, app.clock())) {
    const content = alertOf(`${app.publicUrl()}/app/p/${projectId}/syncs`);
    for (const to of await listOwnerAddresses(kysely, projectId)) {
      const fault = await mailAlert(app, projectId, { to, content });
      if (fault !== null) app.log.warn({ projectId, fault }, "an owner got no mail that a sync fails");
    }
  }
}

export const syncAlertsLoop = aloneLoop({
  name: "mail that syncs fail",
  everyMs: MINUTE_MS,
  turn: sendAlerts,
});
