import type { DeliveryKey } from "../../../domain/ids.ts";
import type { PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { chooseForAddress } from "../../consent/choices/public.ts";
import { parseSender } from "../sender/mailbox.pure.ts";
import { findErasedMessage, linkSigner } from "../sending/public.ts";
import { UNSUBSCRIBED } from "./effects.pure.ts";
import { readDeliveryLink } from "./links.ts";
import { askPage, backPage, deadLinkPage, donePage, offPage, type PageOf } from "./page.ts";
import { recordReports } from "./report.ts";
import { resumeMail } from "./resume.ts";
import { findMessageProjectAcrossProjects, findRecipient, type MessageProject } from "./store.ts";

/** A mail whose link was followed. `topic`: what its campaign is about; null for everything. */
export type Linked = {
  projectId: string;
  message: DeliveryKey;
  topic: MessageProject["topic"];
  /** What its pages say of it. */
  about: PageOf;
};

/** The message that a link belongs to, and its project; null for a link that this server did not sign. */
export async function readLinked(app: App, request: PublicRequest): Promise<Linked | null> {
  const message = readDeliveryLink(app, request);
  if (message === null) return null;
  const project = await findMessageProjectAcrossProjects(app.database.kysely, message.campaignId);
  if (project === null) return null;
  const { projectId, topic } = project;
  return { projectId, message, topic, about: { sender: senderName(project), topic: topic?.name ?? null } };
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
    const linked = await readLinked(app, request);
    return linked === null ? deadLinkPage() : askPage(linked.about);
  },
};

/**
 * The button of that page, and the one click of mail programs (RFC 8058, 3.1), which unsubscribe whatever the body contains: from the topic of the
 * campaign where it has one, and from everything where the page says so.
 */
const unsubscribe: PublicRoute = {
  method: "POST",
  path: "/e/{token}/unsubscribe",
  async respond(app, request) {
    const linked = await readLinked(app, request);
    if (linked === null) return deadLinkPage();
    const { message, projectId, about } = linked;
    const { now, query } = request;
    const fromEverything = query.get("from") === "everything";
    const report = { ...message, ...UNSUBSCRIBED, at: now, fromEverything };
    const reporter = { projectId, name: "the recipient", now, isRecipient: true };
    const found = await recordReports(app, [report], reporter);
    // No address was found to unsubscribe, so the page must not say that it was done.
    return found === 0 ? deadLinkPage() : donePage(fromEverything ? { ...about, topic: null } : about);
  },
};

/** Where a mail went, also where its user was erased, and whether the project sends campaigns there; null where that is not known any more. */
export async function recipientOf(app: App, { projectId, message }: Pick<Linked, "projectId" | "message">) {
  const { kysely } = app.database;
  const erased = app.get(linkSigner).messageKey(message);
  return (
    (await findRecipient(kysely, projectId, message)) ?? (await findErasedMessage(kysely, projectId, erased))
  );
}

/** Undoes the recipient's own unsubscribing, and nothing else: an address that bounced or complained stays suppressed. */
const resubscribe: PublicRoute = {
  method: "POST",
  path: "/e/{token}/resubscribe",
  async respond(app, request) {
    const linked = await readLinked(app, request);
    if (linked === null) return deadLinkPage();
    const { projectId, topic, about } = linked;
    const recipient = await recipientOf(app, linked);
    if (recipient === null) return offPage(about.sender);
    const { addressLane: lane, addressKey, isSuppressed } = recipient;
    const isAllowed = await app.database.kysely.transaction().execute(async (tx) => {
      const proof = { at: request.now, via: "one_click" } as const;
      if (isSuppressed && !(await resumeMail(tx, projectId, { lane, addressKey }, proof))) return false;
      if (topic === null) return true;
      await chooseForAddress(
        tx,
        projectId,
        { lane, addressKey, address: null },
        [{ topicId: topic.id, isIn: true }],
        proof,
      );
      return true;
    });
    return isAllowed ? backPage(about) : offPage(about.sender);
  },
};

export const unsubscribeRoutes: readonly PublicRoute[] = [askUnsubscribe, unsubscribe, resubscribe];
