import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type CampaignRow, findTemplate, makeCampaign } from "../../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../../campaigns/authoring/schema.ts";
import { OWN_MAIL } from "../rules.ts";

const NAME = "Mail written by your code";

/**
 * The template of mail that code has written itself, which counts it and can be paused. It is made with the first such mail of a project; once
 * people have ended it, no other one is.
 */
export async function ownTemplate(ctx: Ctx): Promise<CampaignRow | null> {
  const found = await findTemplate(ctx.db, ctx.projectId, OWN_MAIL, "also ended");
  if (found !== null) return found;
  const body = CreateCampaignBody.parse({
    name: NAME,
    channel: "email",
    purpose: "transactional",
    message: { subject: NAME, body: "The text comes with each request." },
    launch: true,
  });
  try {
    await makeCampaign(ctx, { ...body, key: OWN_MAIL }, "api");
  } catch (cause) {
    // Another request has just made it.
    const reason = cause instanceof ApiError ? cause.fields?.reason : undefined;
    if (reason !== "key_taken") throw cause;
  }
  return findTemplate(ctx.db, ctx.projectId, OWN_MAIL);
}
