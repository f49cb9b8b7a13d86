import { simpleParser } from "mailparser";
import { ApiError } from "../../../platform/http/errors.ts";
import type { PublicRoute } from "../../../platform/http/public-route.ts";
import type { DeliveryRef } from "../../../platform/ids.ts";
import type { App } from "../../../platform/runtime.ts";
import { linkSigner } from "../../email/public.ts";
import { MAX_REPORT_BYTES, THANKS } from "../providers/hook.ts";
import { recordReports } from "../report.ts";
import { findMessageProjectAcrossProjects } from "../store.ts";
import { type MailPart, type MailReport, readMailReport } from "./parse.ts";

const TOKEN = /<([A-Za-z0-9_-]{65})@/g;
/** Message-IDs in a mail beyond which nobody looks for one of ours. */
const MAX_TOKENS = 50;

const readToken = (app: App, token: string): DeliveryRef | null => app.get(linkSigner).read(token, "message");

/** Whether a mail names a message of ours at all: only then is it worth taking apart. */
function namesOurs(app: App, mail: Buffer): boolean {
  let looked = 0;
  for (const [, token = ""] of mail.toString("latin1").matchAll(TOKEN)) {
    if (readToken(app, token) !== null) return true;
    if (++looked === MAX_TOKENS) return false;
  }
  return false;
}

const PARSING = {
  keepDeliveryStatus: true,
  // The splitter below takes this one: a returned message stays one part, in line too.
  ignoreEmbedded: true,
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};

async function readParts(mail: Buffer): Promise<MailPart[]> {
  const { attachments } = await simpleParser(mail, PARSING);
  return attachments.map(({ contentType, content }) => ({
    contentType: contentType.toLowerCase(),
    text: content.toString("utf8"),
  }));
}

/** The report in a mail; null where it is none, or no mail at all. */
const readReport = (app: App, mail: Buffer): Promise<MailReport | null> =>
  namesOurs(app, mail) ? readParts(mail).then(readMailReport, () => null) : Promise.resolve(null);

/** Reports that come as mail, handed on as they came. Our Message-ID in what is returned is the signature. */
export const inboundHook: PublicRoute = {
  method: "POST",
  path: "/hooks/email/inbound",
  bodyLimit: MAX_REPORT_BYTES,
  async respond(app, { body, now }) {
    const report = await readReport(app, body);
    const delivery = report === null ? null : readToken(app, report.messageId.split("@")[0] ?? "");
    if (report === null || delivery === null) throw new ApiError("unauthorized");
    if (report.moment === null) return THANKS;
    const { lane, userKey, campaignUuid: campaignId } = delivery;
    const project = await findMessageProjectAcrossProjects(app.database.kysely, campaignId);
    if (project === null) return THANKS;
    const { projectId } = project;
    const message = { lane, userKey, campaignId, moment: report.moment, at: now };
    await recordReports(app, [message], { projectId, name: "a returned mail", now });
    return THANKS;
  },
};
