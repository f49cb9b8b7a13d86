import { FIRST_OCCASION } from "../../../domain/ids.ts";
import type { MessageRemarks } from "../../campaigns/authoring/public.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import { examineEmail } from "../../content/email/public.ts";
import { readSettings } from "../../settings/public.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { linkSigner } from "./links.ts";
import { GMAIL_SHOWS, remarksOfMail } from "./mail-remarks.pure.ts";
import { mailOptions } from "./open-sender.ts";

/** Stands for a user and for a campaign: tokens and signatures of all of them have one length. */
const ANY_ID = "00000000-0000-0000-0000-000000000000";
/** Stands for the sender, whom the HTML of a mail does not name. */
const ANY_SENDER = { name: null, address: "sender@example.com" };

/** What there is to say of mails before they are sent, as they will leave with the settings of now. */
export const mailRemarks: MessageRemarks = async ({ app, db, projectId }, channel) => {
  if (channel !== "email") return () => [];
  const settings = await readSettings(db, app.secrets, projectId, emailSettings);
  const signer = app.get(linkSigner);
  const options = {
    ...mailOptions(app, settings, ANY_SENDER),
    signTarget: (url: string) => signer.signTarget(ANY_ID, url),
  };
  const measured = {
    token: signer.token({ userKey: ANY_ID, campaignId: ANY_ID, occasion: FIRST_OCCASION }, "link"),
    limit: GMAIL_SHOWS,
  };
  return ({ content, at, body }) =>
    body === null
      ? []
      : // `readMessage` has checked that contents have the shape of their channel.
        remarksOfMail(examineEmail(content as EmailMessage, body, options, measured), at);
};
