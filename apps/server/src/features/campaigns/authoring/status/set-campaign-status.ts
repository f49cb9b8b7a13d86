import { z } from "zod";
import { example, pathIds } from "../../../../domain/fields.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { warningsOf, withWarnings } from "../message/warnings.ts";
import { requireCampaign } from "../require-campaign.ts";
import { messageKindOf } from "../rules.ts";
import { StoredStatus } from "../schema.ts";
import { listVariants } from "../store.ts";
import { changeStatus } from "./change-status.ts";
import { byRequest, launchRefusalFields, STATUS_REASONS } from "./launch-gates.ts";
import { authorOf } from "./pause.pure.ts";

export const setCampaignStatus = endpoint(
  {
    id: "setCampaignStatus",
    method: "POST",
    path: "/api/v1/campaigns/{id}/status",
    audit: "changed the status of a campaign",
    tag: "Campaigns",
    summary: "Launch, pause or end a campaign",
    description:
      "The next request for messages honours it. `end` is for good. A second launch keeps the first `startedAt`.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: { isDestructive: true },
    params: z.object({ id: pathIds.campaign }),
    body: z.object({ action: z.enum(["launch", "pause", "end"]).describe("What to do with it.") }),
    example: { action: "pause" },
    result: z.object({
      id: z.string().max(128).meta({ description: "Id of the campaign.", example: example.campaign }),
      status: StoredStatus.describe("Its state."),
      ...withWarnings,
    }),
    errors: ["not_found", "conflict"],
    reasons: STATUS_REASONS,
    refusalFields: launchRefusalFields,
  },
  async (ctx, { params, body: { action } }) => {
    const campaign = await requireCampaign(ctx, params.id, "for update");
    const status = await changeStatus(ctx, campaign, action, byRequest(ctx), authorOf(ctx.by));
    ctx.describe({ before: { status: campaign.status }, after: { status } });
    const variants = action === "launch" ? await listVariants(ctx.db, ctx.projectId, campaign.id) : [];
    const messages = variants.map(({ content }, index) => ({ content, at: ["variants", index, "content"] }));
    return { id: params.id, status, ...(await warningsOf(ctx, messageKindOf(campaign), messages)) };
  },
);
