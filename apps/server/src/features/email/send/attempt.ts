import { deliveryId } from "../../../platform/ids.ts";
import type { App } from "../../../platform/runtime.ts";
import type { EmailMessage } from "../../mail/message.ts";
import { fillLetter, signDkim } from "../../mail/public.ts";
import { personOf } from "../../templates/public.ts";
import type { Reply } from "../../transport/reply.ts";
import { linkSigner } from "../links.ts";
import type { Sender } from "../open-sender.ts";
import { providerHeaders } from "../provider-headers.ts";
import { isBadAddress, retryAt } from "../rules.ts";
import type { Claimed } from "./claim.ts";
import { recordOutcome } from "./outcomes.ts";

/** The whole message for one recipient. */
export async function writeMessage(
  app: App,
  sender: Sender,
  content: EmailMessage,
  claimed: Claimed,
): Promise<Buffer> {
  const { token } = app.get(linkSigner);
  const { userKey, campaignId, address, externalId, traits, serverTraits, variantId } = claimed;
  const raw = fillLetter(sender.letterOf({ campaignId, variantId }, content), {
    address,
    person: personOf({ externalId, traits: traits ?? {}, serverTraits }),
    token: token(userKey, campaignId, "link"),
    messageId: `${token(userKey, campaignId, "message")}@${sender.from.domain}`,
    sentAt: app.clock(),
    headers: providerHeaders(sender.settings["email.provider"], deliveryId(userKey, campaignId)),
  });
  return sender.dkim === null ? raw : signDkim(raw, sender.dkim);
}

/** An attempt that was begun, or a claim that was let go. */
type Attempt = { claimed: Claimed; ordinal: number | null };

/** What every outcome of a message says. */
const outcomeOf = (app: App, { settings, projectId }: Sender, { claimed, ordinal }: Attempt) => ({
  ...{ lane: claimed.lane, userKey: claimed.userKey, campaignId: claimed.campaignId, projectId, ordinal },
  ...{ fence: claimed.fence, at: app.clock(), bounced: false },
  capHours: settings["email.capHours"],
  acceptedIsDelivered: settings["email.provider"] === "smtp",
});

/** Lets a message go that was claimed and not begun: it comes back as it was. Says whether it was that. */
export async function letGo(app: App, sender: Sender, claimed: Claimed): Promise<boolean> {
  const outcome = outcomeOf(app, sender, { claimed, ordinal: null });
  return recordOutcome(app, {
    ...outcome,
    ...{ kind: "unsent", status: "waiting", dueAt: outcome.at, code: null, response: "" },
  });
}

/** Gives back a message whose attempt was begun and whose first byte never left: it may be sent again at once. */
export async function giveBack(app: App, sender: Sender, attempt: Attempt): Promise<void> {
  const outcome = outcomeOf(app, sender, attempt);
  await recordOutcome(app, {
    ...outcome,
    ...{ kind: "deferred", status: "waiting", dueAt: outcome.at, code: null },
    response: "the sender was stopped before the message left",
  });
}

/** Takes a message back of which nothing left, whether its attempt was written or the database went away before. */
export async function takeBack(app: App, sender: Sender, claimed: Claimed): Promise<void> {
  if (!(await letGo(app, sender, claimed)))
    await giveBack(app, sender, { claimed, ordinal: claimed.attempts + 1 });
}

/** Writes down what a reply means for its send. */
export async function settleAttempt(app: App, sender: Sender, attempt: Attempt, reply: Reply): Promise<void> {
  const outcome = { ...outcomeOf(app, sender, attempt), code: reply.code, response: reply.response };
  if (reply.kind === "accepted" || reply.kind === "unknown") {
    await recordOutcome(app, { ...outcome, kind: reply.kind, status: reply.kind, dueAt: null });
    return;
  }
  // A refusal of the connection or of the sender is nothing that the recipient could help: it may be mended.
  const isFinal = reply.kind === "rejected" && (reply.stage === "recipient" || reply.stage === "message");
  const dueAt = isFinal ? null : retryAt(attempt.claimed.deferrals + 1, outcome.at, Math.random());
  await recordOutcome(app, {
    ...{ ...outcome, kind: isFinal ? "rejected" : "deferred", dueAt, bounced: isBadAddress(reply) },
    status: dueAt === null ? "failed" : "waiting",
  });
}
