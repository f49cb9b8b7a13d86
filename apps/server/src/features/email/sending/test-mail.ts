import { apiId, type UserRef } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import { newUuid } from "../../../platform/uuid.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import type { FilledReceipt } from "../../content/email/public.ts";
import type { TemplateUser } from "../../content/template/template.pure.ts";
import { servingOf } from "../../counting/usage/public.ts";
import { emailPausedBecause } from "../../counting/usage/rules.ts";
import { addressRef, findReceiptsStopped, findSuppressed } from "../addresses/public.ts";
import type { Mailbox } from "../sender/mailbox.pure.ts";
import type { MailReply } from "../transport/reply.pure.ts";
import { openSender } from "./open-sender.ts";
import { takeTestTurn } from "./test-store.ts";

/** The reasons with which a test mail is refused. */
export const TEST_REASONS = [
  "serving_closed",
  "channel_not_ready",
  "deferred",
  "rejected",
  "unknown",
] as const;

/** @throws ApiError conflict while no mail of the organization leaves */
export async function assertServing({ app, projectId }: Ctx): Promise<void> {
  const paused = emailPausedBecause(await servingOf(app, projectId));
  if (paused !== null) throw new ApiError("conflict", paused, { fields: { reason: "serving_closed" } });
}

/** Counts a test mail that is about to leave. @throws ApiError rate_limited when enough of them left within the last hour */
async function takeTurn({ app, db, projectId, now }: Ctx): Promise<void> {
  const limit = app.config.limits.testMailsPerHour;
  const waitMs = await takeTestTurn(db, projectId, now, limit);
  if (waitMs === 0) return;
  const message = `A project sends at most ${limit} test mails an hour (testMailsPerHour); try again later.`;
  const headers = { "retry-after": String(Math.ceil(waitMs / SECOND_MS)) };
  throw new ApiError("rate_limited", message, { headers });
}

/**
 * The refusal of a test that was not accepted. Without an answer it may have arrived, so a repeat of the request sends no other
 * one.
 */
function notTaken({ kind, response }: MailReply): ApiError {
  const message =
    kind === "unknown"
      ? `The mail server did not say whether it took it: ${response}`
      : `The mail server did not take it: ${response}`;
  return new ApiError("conflict", message, {
    fields: { reason: kind },
    ...(kind === "unknown" ? { mayHaveHappened: true } : {}),
  });
}

/** A mail to one address, and the person whose traits fill it; `user` where that is a user. */
type TestMail = {
  to: Mailbox;
  person: TemplateUser;
  user: UserRef | null;
  content: EmailMessage | FilledReceipt;
};

/**
 * Sends a mail to one address as a test: it counts nowhere, is not tracked, and has no link to unsubscribe. For an operation with
 * `ownTransaction`. @param about what the log of the server says of it
 * @throws ApiError conflict where the project cannot send, the address takes no mail, or the mail server does not take it
 */
export async function sendTestMail(
  ctx: Ctx,
  { to, person, user, content }: TestMail,
  about: Readonly<Record<string, string>>,
): Promise<{ messageId: string; response: string }> {
  const { app, projectId } = ctx;
  const isReceipt = "email" in content;
  const sender = await openSender(app, projectId, isReceipt ? "transactional" : "marketing");
  if ("fault" in sender)
    throw new ApiError("conflict", sender.fault, { fields: { reason: "channel_not_ready" } });
  const addressed = { ...addressRef(projectId, to.address), projectId };
  const findStopped = isReceipt ? findReceiptsStopped : findSuppressed;
  const suppressed = await findStopped(app.database.hotPool, [addressed]);
  if (suppressed.length > 0)
    throw new ApiError("conflict", "This address does not want email any more, or does not exist.");
  const messageId = `${apiId("tst", newUuid(ctx.now))}@${sender.from.domain}`;
  const signed = await sender.writeAlone(
    { ...content, subject: `[Test] ${content.subject}` },
    { address: to.address, person, messageId, sentAt: ctx.now },
  );
  await ctx.reserve?.();
  await takeTurn(ctx);
  const reply = await sender.transport.send({ from: sender.from.address, to: to.address, user }, signed);
  app.log.info({ projectId, ...about, outcome: reply.kind }, "a test mail left");
  if (reply.kind !== "accepted") throw notTaken(reply);
  return { messageId: `<${messageId}>`, response: reply.response };
}
