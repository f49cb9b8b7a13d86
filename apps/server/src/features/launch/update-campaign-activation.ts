import { z } from "zod";
import { endpoint } from "../../platform/http/endpoint.ts";
import { pathId } from "../../platform/http/fields.ts";
import { requireCampaign } from "../campaigns/authoring/public.ts";
import { readActivation, writeActivation } from "./activation-store.ts";
import { staleRevision } from "./refusals.ts";
import { CampaignActivation, expectedRevision, LaunchMode } from "./schema.ts";
import { viewActivation } from "./view.ts";

export const updateCampaignActivation = endpoint(
  {
    id: "updateCampaignActivation",
    method: "PATCH",
    path: "/api/v1/campaigns/{id}/activation",
    tag: "Launches",
    summary: "Choose whether a campaign launches by itself",
    description: "Changes the mode alone: approvals are decided by people, deployments are reported.",
    keys: ["secret"],
    people: "editor",
    budget: "campaigns",
    params: z.object({ id: pathId }),
    body: z.object({
      mode: LaunchMode.nullable().describe("Null takes the default of the project."),
      expectedRevision,
    }),
    example: { mode: "automatic", expectedRevision: "0" },
    result: CampaignActivation,
    errors: ["not_found", "conflict"],
    reasons: ["stale_revision"],
  },
  async (ctx, { params, body: { mode, expectedRevision: expected } }) => {
    const campaign = await requireCampaign(ctx, params.id, "for update");
    const { mode: before, revision } = await readActivation(ctx.db, ctx.projectId, campaign.id);
    if (expected !== String(revision)) throw staleRevision();
    await writeActivation(ctx.db, ctx.projectId, campaign.id, { mode, revision: revision + 1 });
    ctx.describe({ before: { mode: before }, after: { mode } });
    return viewActivation(ctx, campaign);
  },
);
