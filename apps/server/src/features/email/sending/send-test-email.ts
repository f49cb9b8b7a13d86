import { z } from "zod";
import { externalUserId } from "../../../domain/fields.ts";
import { apiId, userRef, uuidFor } from "../../../domain/ids.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { type Ctx, endpoint } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { pathId, text } from "../../../platform/http/fields.ts";
import { newUuid } from "../../../platform/uuid.ts";
import {
  readAllocation,
  requireCampaign,
  warningsOf,
  withWarnings,
} from "../../campaigns/authoring/public.ts";
import { fillEmail, signDkim } from "../../content/email/public.ts";
import { personOf } from "../../content/template/public.ts";
import { servingOf } from "../../counting/usage/public.ts";
import { emailPausedBecause } from "../../counting/usage/rules.ts";
import { findUser } from "../../users/profiles/public.ts";
import { addressRef, findSuppressed } from "../addresses/public.ts";
import { parseAddress } from "../addresses/rules.ts";
import type { Reply } from "../transport/reply.pure.ts";
import { openSender } from "./open-sender.ts";
import { takeTestTurn } from "./test-store.ts";
import { readVariants } from "./variants-store.ts";

/** The content of the requested variant, or of the first one. */
async function contentOf(ctx: Ctx, campaignId: string, variantId: string | undefined) {
  const allocation = await readAllocation(ctx.db, ctx.projectId, campaignId);
  const id = variantId === undefined ? allocation?.variants[0]?.id : uuidFor("var", variantId);
  const variants = await readVariants(ctx.db, ctx.projectId, [campaignId]);
  const content = variants.get(id ?? "");
  if (content === undefined) throw new ApiError("not_found", "Variant not found");
  return content.message;
}

/** The user whose traits fill the personal fields; a person without traits where no user is named. */
async function readPerson({ db, projectId }: Ctx, userId: string | undefined) {
  if (userId === undefined) return personOf({ externalId: "test", traits: {}, serverTraits: null });
  const user = await findUser(db, projectId, userRef(projectId, userId));
  if (user === null) throw new ApiError("not_found", "User not found");
  // Traits are checked to be an object when they are written.
  return personOf({ ...user, traits: user.traits as Record<string, unknown> });
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
function notTaken({ kind, response }: Reply): ApiError {
  const message =
    kind === "unknown"
      ? `The mail server did not say whether it took it: ${response}`
      : `The mail server did not take it: ${response}`;
  return new ApiError("conflict", message, {
    fields: { reason: kind },
    ...(kind === "unknown" ? { mayHaveHappened: true } : {}),
  });
}

export const sendTestEmail = endpoint(
  {
    id: "sendTestEmail",
    method: "POST",
    path: "/api/v1/campaigns/{id}/email/test",
    tag: "Email",
    summary: "Send a campaign's email to one address, as a test",
    description:
      "Works for drafts. Personal fields are filled from `userId`. Nothing is counted, no link is tracked, and it has no link to unsubscribe. 429 once enough of them left a project within an hour. 409 while `emailServing` of the organization's usage is paused.",
    keys: ["secret"],
    people: "editor",
    budget: "campaigns",
    ownTransaction: true,
    params: z.object({ id: pathId }),
    body: z.object({
      address: text(320),
      userId: externalUserId.optional(),
      variantId: text(128).optional(),
    }),
    example: { address: "me@example.com", userId: "ada" },
    result: z.object({
      messageId: z.string().max(512),
      response: z.string().max(1_000),
      ...withWarnings,
    }),
    errors: ["not_found", "conflict"],
    reasons: ["serving_closed", "channel_not_ready", "deferred", "rejected", "unknown"],
  },
  async (ctx, { params, body }) => {
    const { app, projectId } = ctx;
    const to = parseAddress(body.address);
    if (to === null) throw new ApiError("invalid_request", "address must be an email address");
    const campaign = await requireCampaign(ctx, params.id);
    if (campaign.channel !== "email") throw new ApiError("conflict", "This is not an email campaign.");
    const serving = await servingOf(app, projectId);
    const paused = emailPausedBecause(serving);
    if (paused !== null) throw new ApiError("conflict", paused, { fields: { reason: "serving_closed" } });
    const content = await contentOf(ctx, campaign.id, body.variantId);
    const person = await readPerson(ctx, body.userId);
    const warned = await warningsOf(ctx, "email", [{ content, at: [] }]);
    const sender = await openSender(app, projectId);
    if ("fault" in sender)
      throw new ApiError("conflict", sender.fault, { fields: { reason: "channel_not_ready" } });
    const addressed = { ...addressRef(projectId, to.address), projectId };
    const suppressed = await findSuppressed(app.database.hotPool, [addressed]);
    if (suppressed.length > 0)
      throw new ApiError("conflict", "This address does not want email any more, or does not exist.");
    const messageId = `${apiId("tst", newUuid(ctx.now))}@${sender.from.domain}`;
    const compiled = sender.compiledTestFor(campaign.id, {
      ...content,
      subject: `[Test] ${content.subject}`,
    });
    const raw = fillEmail(compiled, { address: to.address, person, token: "", messageId, sentAt: ctx.now });
    const signed = sender.dkim === null ? raw : await signDkim(raw, sender.dkim);
    await ctx.reserve?.();
    await takeTurn(ctx);
    const reply = await sender.transport.send({ from: sender.from.address, to: to.address }, signed);
    app.log.info({ projectId, campaignId: params.id, outcome: reply.kind }, "a test mail left");
    if (reply.kind !== "accepted") throw notTaken(reply);
    return { messageId: `<${messageId}>`, response: reply.response, ...warned };
  },
);
