import { deliveryId, deliveryRef } from "../../../../domain/ids.ts";
import type { App } from "../../../../platform/runtime.ts";
import { fillEmail, signDkim } from "../../../content/email/public.ts";
import { readTemplateUser } from "../../../content/template/public.ts";
import type { MailReply } from "../../transport/reply.pure.ts";
import { linkSigner } from "../links.ts";
import type { ProjectSender } from "../open-sender.ts";
import { providerHeaders } from "../provider-headers.pure.ts";
import { isGone, isInTheWay, isPassing, retryAt } from "../rules.ts";
import type { EmailContent } from "../variants-store.ts";
import type { LeasedSend } from "./lease.ts";
import { recordOutcome } from "./outcomes.ts";

const NEVER_LEFT = "the sender was stopped before the message left";

/** The whole message for one recipient. */
export async function writeMessage(
  app: App,
  sender: ProjectSender,
  content: EmailContent,
  leased: LeasedSend,
): Promise<Buffer> {
  const { token } = app.get(linkSigner);
  const { campaignId, address, externalId, traits, serverTraits, event, variantId } = leased;
  const raw = fillEmail(sender.compiledFor({ campaignId, variantId }, content), {
    address,
    person: readTemplateUser({ externalId, traits: traits ?? {}, serverTraits, event }),
    token: token(leased, "link"),
    messageId: `${token(leased, "message")}@${sender.from.domain}`,
    sentAt: app.clock(),
    headers: providerHeaders(sender.settings["email.provider"], deliveryId(leased)),
  });
  return sender.dkim === null ? raw : signDkim(raw, sender.dkim);
}

/** The fields that all outcomes of a leased message share; `ordinal` is that of its attempt, or null where none began. */
const outcomeOf = (
  app: App,
  { settings, purpose }: ProjectSender,
  leased: LeasedSend,
  ordinal: number | null,
) => ({
  ...deliveryRef(leased),
  leaseOwner: leased.leaseOwner,
  ordinal,
  at: app.clock(),
  bounced: false,
  capHours: settings["email.capHours"],
  countsForCap: purpose === "marketing",
  acceptedIsDelivered: settings["email.provider"] === "smtp",
  failed: false,
});

/**
 * Releases a message of which nothing left, so that it may be sent again at once. False where it was not leased any more, or where
 * `ordinal` does not say whether its attempt had begun.
 */
export async function releaseSend(
  app: App,
  sender: ProjectSender,
  leased: LeasedSend,
  ordinal: number | null,
): Promise<boolean> {
  const outcome = outcomeOf(app, sender, leased, ordinal);
  const released = { status: "waiting", dueAt: outcome.at, code: null } as const;
  return ordinal === null
    ? recordOutcome(app, { ...outcome, ...released, kind: "unsent", response: "" })
    : recordOutcome(app, { ...outcome, ...released, kind: "deferred", response: NEVER_LEFT });
}

/** Releases a message of which nothing left, where it is not known whether its attempt was recorded. */
export async function revokeSend(app: App, sender: ProjectSender, leased: LeasedSend): Promise<void> {
  if (!(await releaseSend(app, sender, leased, null)))
    await releaseSend(app, sender, leased, leased.attempts + 1);
}

/** Records what a reply means for its send. */
export async function recordReply(
  app: App,
  sender: ProjectSender,
  leased: LeasedSend,
  ordinal: number,
  reply: MailReply,
): Promise<void> {
  const { code, response } = reply;
  const outcome = { ...outcomeOf(app, sender, leased, ordinal), code, response };
  if (reply.kind === "accepted" || reply.kind === "unknown") {
    await recordOutcome(app, { ...outcome, kind: reply.kind, status: reply.kind, dueAt: null });
    return;
  }
  const isFinal = reply.kind === "rejected" && !isInTheWay(reply);
  const dueAt = isFinal ? null : retryAt(leased.deferrals + 1, outcome.at, Math.random());
  await recordOutcome(app, {
    ...outcome,
    kind: isFinal ? "rejected" : "deferred",
    status: dueAt === null ? "failed" : "waiting",
    dueAt,
    bounced: isGone(reply),
    failed: dueAt === null && isPassing(reply),
  });
}

/** Ends a leased message that can never be written, of which nothing left. */
export async function endUnwritten(
  app: App,
  sender: ProjectSender,
  leased: LeasedSend,
  why: string,
): Promise<void> {
  const ended = { kind: "unsent", status: "failed", dueAt: null, code: null, response: why } as const;
  await recordOutcome(app, { ...outcomeOf(app, sender, leased, null), ...ended });
}
