import type { DeliveryKey } from "../../../domain/ids.ts";
import type { PublicRequest, PublicRoute } from "../../../platform/http/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { parseSender } from "../../settings/sender.pure.ts";
import { allowAddress } from "../addresses/public.ts";
import { findErasedMessage, linkSigner } from "../sending/public.ts";
import { readLink } from "./links.ts";
import { askPage, backPage, deadLinkPage, donePage, offPage } from "./page.ts";
import { recordReports } from "./report.ts";
import { findMessageProjectAcrossProjects, findRecipient, type MessageProject } from "./store.ts";

type Linked = { projectId: string; senderName: string; message: DeliveryKey };

/** The message that a link belongs to, and whose it is; null for a link that nobody here made. */
async function readMessage(app: App, request: PublicRequest): Promise<Linked | null> {
  const message = readLink(app, request);
  if (message === null) return null;
  const project = await findMessageProjectAcrossProjects(app.database.kysely, message.campaignId);
  if (project === null) return null;
  const { projectId } = project;
  return { projectId, senderName: senderName(project), message };
}

/** What a recipient knows the sender by: the name that stands in their mail, else its address. The project's own name is for the team. */
function senderName({ sender, projectName }: MessageProject): string {
  const from = parseSender(sender ?? "");
  return from?.name ?? from?.address ?? projectName;
}

/** Scanners follow links: this asks, and changes nothing. */
const askUnsubscribe: PublicRoute = {
  method: "GET",
  path: "/e/{token}/unsubscribe",
  async respond(app, request) {
    const linked = await readMessage(app, request);
    return linked === null ? deadLinkPage() : askPage(linked.senderName);
  },
};

/** The button of that page, and the one click of mail programs (RFC 8058, 3.1): whatever the body says, this is the wish. */
const unsubscribe: PublicRoute = {
  method: "POST",
  path: "/e/{token}/unsubscribe",
  async respond(app, request) {
    const linked = await readMessage(app, request);
    if (linked === null) return deadLinkPage();
    const { message, projectId, senderName: sender } = linked;
    const { now } = request;
    const report = { ...message, event: "unsubscribed", at: now } as const;
    const reporter = { projectId, name: "the recipient", now, isRecipient: true };
    const found = await recordReports(app, [report], reporter);
    // Nothing was recorded, and nothing is said to be: nobody here knows any more where this message went.
    return found === 0 ? deadLinkPage() : donePage(sender);
  },
};

/** Takes back what the recipient did, and nothing else: a bounce or a complaint stays. */
const resubscribe: PublicRoute = {
  method: "POST",
  path: "/e/{token}/resubscribe",
  async respond(app, request) {
    const linked = await readMessage(app, request);
    if (linked === null) return deadLinkPage();
    const { message, projectId, senderName: sender } = linked;
    const { kysely } = app.database;
    const { userKey, campaignId } = message;
    const erased = app.get(linkSigner).messageKey(userKey, campaignId);
    const recipient =
      (await findRecipient(kysely, projectId, message)) ??
      (await findErasedMessage(kysely, projectId, erased));
    if (recipient === null) return offPage(sender);
    const { addressLane: lane, addressKey, isSuppressed } = recipient;
    const isAllowed =
      !isSuppressed || (await allowAddress(kysely, projectId, { lane, addressKey }, "unsubscribed"));
    return isAllowed ? backPage(sender) : offPage(sender);
  },
};

export const unsubscribeRoutes: readonly PublicRoute[] = [askUnsubscribe, unsubscribe, resubscribe];
