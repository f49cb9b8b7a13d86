import { z } from "zod";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { pathId } from "../../../platform/http/fields.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import { openEpochs } from "./epoch-store.ts";
import { assertMayLaunch } from "./launch-gates.ts";
import { requireCampaign } from "./require-campaign.ts";
import { ACTION_FROM, applyAction } from "./rules.ts";
import { StoredStatus } from "./schema.ts";
import { listVariants, moveCampaign } from "./store.ts";
import { warningsOf, withWarnings } from "./warnings.ts";

export const setCampaignStatus = endpoint(
  {
    id: "setCampaignStatus",
    method: "POST",
    path: "/api/v1/campaigns/{id}/status",
    tag: "Campaigns",
    summary: "Launch, pause or end a campaign",
    description:
      "The next request for messages honours it. `end` is for good. A second launch keeps the first `startedAt`.",
    keys: ["secret"],
    budget: "campaigns",
    params: z.object({ id: pathId }),
    body: z.object({ action: z.enum(["launch", "pause", "end"]) }),
    example: { action: "pause" },
    result: z.object({ id: z.string().max(128), status: StoredStatus, ...withWarnings }),
    errors: ["not_found", "conflict"],
    reasons: ["channel_not_ready"],
  },
  async (ctx, { params, body: { action } }) => {
    const { db, projectId, now } = ctx;
    const campaign = await requireCampaign(ctx, params.id, "for update");
    const step = applyAction(action, campaign.status, campaign, now);
    if ("refusal" in step) throw new ApiError("conflict", step.refusal);
    if (action === "launch") await assertMayLaunch(ctx, campaign);
    if (
      !(await moveCampaign(db, projectId, campaign.id, { from: ACTION_FROM[action], next: step.next, now }))
    ) {
      throw new ApiError("conflict");
    }
    await openEpochs(db, projectId, { campaignId: campaign.id }, now);
    await raiseConfigVersion(db, projectId);
    const variants = action === "launch" ? await listVariants(db, projectId, campaign.id) : [];
    const messages = variants.map(({ content }, index) => ({ content, at: ["variants", index, "content"] }));
    return { id: params.id, status: step.next, ...(await warningsOf(ctx, campaign.channel, messages)) };
  },
);
