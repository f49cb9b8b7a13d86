import { z } from "zod";
import { type Ctx, endpoint, KIB } from "../../platform/http/endpoint.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { newUuid } from "../../platform/ids.ts";
import { raiseConfigVersion } from "../access/public.ts";
import { assertMediaExists, resolveAudience, resolveGoal, storedPages } from "./references.ts";
import { defaultVariantName, variantsFault, windowFault } from "./rules.ts";
import { CampaignDetail, CreateCampaignBody, type VariantInput } from "./schema.ts";
import { insertCampaign, insertVariants, type VariantRow } from "./store.ts";
import { viewCampaignDetail } from "./view.ts";

/** The variants that a request asks for; one message is one variant named A. */
function newVariants(body: CreateCampaignBody, campaignId: string, now: number): VariantRow[] {
  const { message } = body;
  const inputs: VariantInput[] | undefined = message === undefined ? body.variants : [{ message }];
  if (inputs === undefined || (message !== undefined && body.variants !== undefined)) {
    throw new ApiError("invalid_request", "exactly one of message and variants is required");
  }
  const hasControl = inputs.some((input) => input.isControl);
  const variants = inputs.map((input, position) => ({
    id: newUuid(now),
    campaignId,
    position,
    name: input.name ?? defaultVariantName(position),
    weight: input.weight ?? 1,
    isControl: input.isControl ?? (!hasControl && position === 0),
    content: input.message,
  }));
  const fault = variantsFault(variants);
  if (fault !== null) throw new ApiError("invalid_request", fault);
  return variants;
}

/** Makes a campaign, launched if asked. Needs a transaction. @throws ApiError on whatever cannot be. */
export async function makeCampaign(ctx: Ctx, body: CreateCampaignBody): Promise<CampaignDetail> {
  const { projectId, now } = ctx;
  const id = newUuid(now);
  const variants = newVariants(body, id, now);
  const window = { deliverFrom: body.deliverFrom ?? null, deliverUntil: body.deliverUntil ?? null };
  const fault = windowFault(window, true, now);
  if (fault !== null) throw new ApiError("invalid_request", fault);
  const audience = (await resolveAudience(ctx, body)) ?? { kind: "all" };
  await assertMediaExists(
    ctx,
    variants.map((variant) => variant.content as CreateCampaignBody["message"]),
  );
  await insertCampaign(ctx.db, projectId, {
    id,
    name: body.name,
    status: body.launch ? "running" : "draft",
    channel: body.channel,
    goalId: await resolveGoal(ctx, body.goalId ?? null),
    createdBy: "api",
    createdAt: now,
    startedAt: body.launch ? now : null,
    ...window,
    audience,
    pages: storedPages(body.pages ?? null),
  });
  await insertVariants(ctx.db, projectId, variants);
  await raiseConfigVersion(ctx.db, projectId);
  const campaign = await viewCampaignDetail(ctx.db, projectId, id, now);
  if (campaign === null) throw new Error("The campaign that was just made is not there.");
  return campaign;
}

export const createCampaign = endpoint(
  {
    id: "createCampaign",
    method: "POST",
    path: "/api/v1/campaigns",
    tag: "Campaigns",
    summary: "Create a campaign, and launch it if asked",
    description:
      "Exactly one of `message` (one variant named A) and `variants`. Without `pages` it shows everywhere.",
    keys: ["secret"],
    budget: "campaigns",
    bodyLimit: 256 * KIB,
    body: CreateCampaignBody,
    status: 201,
    result: z.object({ campaign: CampaignDetail }),
  },
  async (ctx, { body }) => ({ campaign: await makeCampaign(ctx, body) }),
);
