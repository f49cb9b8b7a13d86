import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type CampaignRow, findTemplate, makeCampaign } from "../../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../../campaigns/authoring/schema.ts";
import type { ReceiptMessage } from "../../content/email/receipt/message.pure.ts";
import { OWN_MAIL } from "../rules.ts";

/**
 * The template of a key, made with this name and message where a project never had one, and live then. Once people have ended it, no other one is
 * made.
 */
export async function ensureTemplate(
  ctx: Ctx,
  key: string,
  { name, message }: { name: string; message: ReceiptMessage },
): Promise<CampaignRow | null> {
  const found = await findTemplate(ctx.db, ctx.projectId, key, "also ended");
  if (found !== null) return found;
  const body = CreateCampaignBody.parse({
    name,
    channel: "email",
    purpose: "transactional",
    message,
    launch: true,
  });
  try {
    await makeCampaign(ctx, { ...body, key }, "api");
  } catch (cause) {
    // Another request has just made it.
    const reason = cause instanceof ApiError ? cause.fields?.reason : undefined;
    if (reason !== "key_taken") throw cause;
  }
  return findTemplate(ctx.db, ctx.projectId, key);
}

const NAME = "Mail written by your code";

/** The template of mail that code has written itself, which counts it and can be paused. */
export const ownTemplate = (ctx: Ctx): Promise<CampaignRow | null> =>
  ensureTemplate(ctx, OWN_MAIL, {
    name: NAME,
    message: { subject: NAME, body: "The text comes with each request." },
  });
