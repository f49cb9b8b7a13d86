import type { DeliveryKey } from "../../../domain/ids.ts";
import type { PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { allowAddress } from "../addresses/public.ts";
import { parseSender } from "../sender/mailbox.pure.ts";
import { findErasedMessage, linkSigner } from "../sending/public.ts";
import { UNSUBSCRIBED } from "./effects.pure.ts";
import { readDeliveryLink } from "./links.ts";
import { askPage, backPage, deadLinkPage, donePage, offPage } from "./page.ts";
import { recordReports } from "./report.ts";
import { findMessageProjectAcrossProjects, findRecipient, type MessageProject } from "./store.ts";

type Linked = { projectId: string; senderName: string; message: DeliveryKey };

/** The message that a link belongs to, and its project; null for a link that this server did not sign. */
async function readMessage(app: App, request: PublicRequest): Promise<Linked | null> {
  const message = readDeliveryLink(app, request);
  if (message === null) return null;
  const project = await findMessageProjectAcrossProjects(app.database.kysely, message.campaignId);
  if (project === null) return null;
  const { projectId } = project;
  return { projectId, senderName: senderName(project), message };
}

/** The name or address in the From of the recipient's mail. The project's own name is for its team, so it comes last. */
function senderName({ sender, projectName }: MessageProject): string {
  const from = parseSender(sender ?? "");
  return from?.name ?? from?.address ?? projectName;
}

/** Shows a page with a button, and changes nothing: scanners follow links. */
const askUnsubscribe: PublicRoute = {
  method: "GET",
  path: "/e/{token}/unsubscribe",
  async respond(app, request) {
    const linked = await readMessage(app, request);
    return linked === null ? deadLinkPage() : askPage(linked.senderName);
  },
};

/** The button of that page, and the one click of mail programs (RFC 8058, 3.1), which unsubscribe whatever the body contains. */
const unsubscribe: PublicRoute = {
  method: "POST",
  path: "/e/{token}/unsubscribe",
  async respond(app, request) {
    const linked = await readMessage(app, request);
    if (linked === null) return deadLinkPage();
    const { message, projectId, senderName: sender } = linked;
    const { now } = request;
    const report = { ...message, ...UNSUBSCRIBED, at: now };
    const reporter = { projectId, name: "the recipient", now, isRecipient: true };
    const found = await recordReports(app, [report], reporter);
    // No address was found to unsubscribe, so the page must not say that it was done.
    return found === 0 ? deadLinkPage() : donePage(sender);
  },
};

/** Undoes the recipient's own unsubscribing, and nothing else: an address that bounced or complained stays suppressed. */
const resubscribe: PublicRoute = {
  method: "POST",
  path: "/e/{token}/resubscribe",
  async respond(app, request) {
    const linked = await readMessage(app, request);
    if (linked === null) return deadLinkPage();
    const { message, projectId, senderName: sender } = linked;
    const { kysely } = app.database;
    const erased = app.get(linkSigner).messageKey(message);
    const recipient =
      (await findRecipient(kysely, projectId, message)) ??
      (await findErasedMessage(kysely, projectId, erased));
    if (recipient === null) return offPage(sender);
    const { addressLane: lane, addressKey, isSuppressed } = recipient;
    const lifting = { at: request.now, reason: "unsubscribed" } as const;
    const isAllowed = !isSuppressed || (await allowAddress(kysely, projectId, { lane, addressKey }, lifting));
    return isAllowed ? backPage(sender) : offPage(sender);
  },
};

export const unsubscribeRoutes: readonly PublicRoute[] = [askUnsubscribe, unsubscribe, resubscribe];
