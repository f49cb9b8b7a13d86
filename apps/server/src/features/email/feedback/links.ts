import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryKey } from "../../../domain/ids.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { linkSigner } from "../sending/public.ts";
import { hitBatch } from "./hits.ts";
import { deadLinkPage, emptyPage, PRIVATE } from "./page.ts";
import { botOfVisit, type HitKind } from "./rules.ts";
import { acceptsUnboundLinksAcrossProjects } from "./store.ts";

// One transparent pixel (GIF89a).
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const PURPOSES = ["purpose", "sec-purpose", "x-purpose", "x-moz"];

const LONGEST_WAIT_MS = 1_000;

/** The delivery that a path's token stands for, or null when this server did not sign the token. */
export const readDeliveryLink = (app: App, { params }: PublicRequest): DeliveryKey | null =>
  app.get(linkSigner).read(params.token ?? "", "link");

/** Records that a link was followed. The visitor is answered even where the hit cannot be recorded now. */
async function recordHit(
  app: App,
  message: DeliveryKey,
  kind: HitKind,
  { method, headers, now }: PublicRequest,
  url: string | null = null,
): Promise<void> {
  if (method === "HEAD") return;
  const purposes = PURPOSES.map((name) => String(headers[name] ?? ""));
  const bot = botOfVisit({ method, userAgent: headers["user-agent"], purposes });
  const hit = { ...message, kind, at: now, url, bot };
  const kept = app
    .get(hitBatch)
    .add(hit)
    .catch((cause: unknown) => app.log.error({ err: cause, kind }, "a hit on a mail was not recorded"));
  // A hit may wait for a lock on its delivery. The visitor waits at most a second, and the hit is recorded later.
  await Promise.race([kept, sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
}

const openGif: PublicRoute = {
  method: "GET",
  path: "/e/{token}/open.gif",
  async respond(app, request) {
    const message = readDeliveryLink(app, request);
    if (message !== null) await recordHit(app, message, "open", request);
    return {
      status: 200,
      contentType: "image/gif",
      headers: { ...PRIVATE, "content-security-policy": "default-src 'none'" },
      body: PIXEL,
    };
  },
};

/**
 * Whether a target was signed for the mail whose token stands in the path. Earlier versions signed the address alone, without the
 * campaign: such a signature counts only for campaigns that were sent then.
 */
async function isSigned(app: App, campaignId: string, to: string, signature: string): Promise<boolean> {
  const signer = app.get(linkSigner);
  if (signer.isTarget(campaignId, to, signature)) return true;
  if (!signer.isUnboundTarget(to, signature)) return false;
  return await acceptsUnboundLinksAcrossProjects(app.database.lookups.kysely, campaignId);
}

/** Where a click leads, as it may stand in a header; null for what was not signed for this message, or no web address. */
async function destination(
  app: App,
  { campaignId }: DeliveryKey,
  { query }: PublicRequest,
): Promise<{ to: string; location: string } | null> {
  const to = query.get("to") ?? "";
  if (!URL.canParse(to) || !(await isSigned(app, campaignId, to, query.get("s") ?? ""))) return null;
  const { protocol, href } = new URL(to);
  return protocol === "https:" || protocol === "http:" ? { to, location: href } : null;
}

const redirect = (location: string): PublicAnswer => ({
  status: 302,
  contentType: "text/plain; charset=utf-8",
  headers: { ...PRIVATE, location, "content-security-policy": "default-src 'none'" },
  body: "",
});

const click: PublicRoute = {
  method: "GET",
  path: "/e/{token}/click",
  async respond(app, request) {
    const message = readDeliveryLink(app, request);
    const target = message === null ? null : await destination(app, message, request);
    if (message === null || target === null) return deadLinkPage();
    await recordHit(app, message, "click", request, target.to);
    return redirect(target.location);
  },
};

/** A link that no person can see: a program that follows it follows every link of the mail. */
const honeypot: PublicRoute = {
  method: "GET",
  path: "/e/{token}/trap",
  async respond(app, request) {
    const message = readDeliveryLink(app, request);
    if (message === null) return deadLinkPage();
    await recordHit(app, message, "trap", request);
    return emptyPage();
  },
};

export const linkRoutes: readonly PublicRoute[] = [openGif, click, honeypot];
