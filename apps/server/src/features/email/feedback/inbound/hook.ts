import { type DeliveryKey, deliveryText } from "../../../../domain/ids.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import type { PublicRoute } from "../../../../platform/http/public/public-route.ts";
import type { App } from "../../../../platform/runtime.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { linkSigner, TOKEN_FORM } from "../../sending/public.ts";
import { THANKS } from "../providers/hook.ts";
import { recordReports } from "../report.ts";
import { findMessageProjectAcrossProjects } from "../store.ts";
import { readMailReport } from "./parse.pure.ts";
import { reportBudget } from "./report-budget.ts";
import { readMailStructure } from "./structure.ts";

/** A report returns the message, or its header alone; mail servers cut off longer messages that they return. */
const MAX_MAIL_BYTES = 262_144;
/** Mail servers give up after days. Later than this, a Message-ID may have been found in a reply or an archive. */
const MAX_AGE_MS = 30 * DAY_MS;
const TOKEN = new RegExp(`<(${TOKEN_FORM})@`, "g");
/** How many Message-IDs of a mail are checked for one of ours. */
const MAX_TOKENS = 50;

const readToken = (app: App, token: string): DeliveryKey | null => app.get(linkSigner).read(token, "message");

/** The first message of ours that a mail names, as it came or in a part that had to be decoded; null where it names none. */
function findOurs(app: App, texts: readonly string[]): DeliveryKey | null {
  let looked = 0;
  for (const text of texts)
    for (const [, token = ""] of text.matchAll(TOKEN)) {
      const delivery = readToken(app, token);
      if (delivery !== null || ++looked === MAX_TOKENS) return delivery;
    }
  return null;
}

/** Counts a report against the number that a message may have. @throws ApiError */
function spendReport(app: App, delivery: DeliveryKey, now: number): void {
  const wait = app.get(reportBudget).take(deliveryText(delivery), now);
  if (wait > 0) throw new ApiError("rate_limited", undefined, { headers: { "retry-after": String(wait) } });
}

/**
 * Reports that come as mail, posted here as they came. The signed Message-ID in the returned message proves that we sent it. Replies
 * and archives contain it too, so a report is believed for 30 days only.
 */
export const inboundHook: PublicRoute = {
  method: "POST",
  path: "/hooks/email/inbound",
  bodyLimit: MAX_MAIL_BYTES,
  async respond(app, { body, now }) {
    const mail = readMailStructure(body);
    const named = findOurs(app, [body.toString("latin1"), ...mail.parts.map(({ text }) => text)]);
    if (named === null) throw new ApiError("unauthorized");
    spendReport(app, named, now);
    const report = readMailReport(mail);
    const delivery = report === null ? null : readToken(app, report.messageId.split("@")[0] ?? "");
    if (report === null || delivery === null) throw new ApiError("unauthorized");
    if (report.effect === null) return THANKS;
    const project = await findMessageProjectAcrossProjects(app.database.kysely, delivery.campaignId);
    if (project === null) return THANKS;
    const { projectId } = project;
    await recordReports(app, [{ ...delivery, ...report.effect, at: now }], {
      projectId,
      name: "a returned mail",
      now,
      leftSince: now - MAX_AGE_MS,
    });
    return THANKS;
  },
};
