import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { type CampaignRow, requireCampaign } from "../../campaigns/authoring/public.ts";
import { assertMayReachUsers, roleOf } from "../../people/public.ts";
import { readPolicy } from "../policy/policy-store.ts";
import { staleRevision } from "../refusals.ts";
import { CampaignActivation, expectedRevision, LaunchMode } from "../schema.ts";
import { viewActivation } from "../view.ts";
import { findAllowance, readActivation, type StoredActivation, writeActivation } from "./activation-store.ts";

/**
 * A draft that was allowed and is launched by people may launch at once where it becomes automatic.
 * @throws LaunchRoleRefusal for people whose role is too low for that
 */
async function assertMayChoose(
  ctx: Ctx,
  { id, status }: CampaignRow,
  before: StoredActivation,
  mode: LaunchMode | null,
): Promise<void> {
  if (status !== "draft") return;
  const { defaultMode } = await readPolicy(ctx.db, ctx.projectId);
  const becomesAutomatic =
    (mode ?? defaultMode) === "automatic" && (before.mode ?? defaultMode) !== "automatic";
  if (becomesAutomatic && (await findAllowance(ctx.db, ctx.projectId, id)) !== null)
    await assertMayReachUsers(ctx, roleOf(ctx), "mode");
}

export const updateCampaignActivation = endpoint(
  {
    id: "updateCampaignActivation",
    method: "PATCH",
    path: "/api/v1/campaigns/{id}/activation",
    audit: "chose whether a campaign launches by itself",
    tag: "Launches",
    summary: "Choose whether a campaign launches by itself",
    description: "Changes the mode alone: approvals are decided by people, deployments are reported.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "People decide what launches by itself.",
    params: z.object({ id: pathIds.campaign }),
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
    const activation = await readActivation(ctx.db, ctx.projectId, campaign.id);
    const { mode: before, revision } = activation;
    if (expected !== String(revision)) throw staleRevision();
    await assertMayChoose(ctx, campaign, activation, mode);
    await writeActivation(ctx.db, ctx.projectId, campaign.id, { mode, revision: revision + 1 });
    ctx.describe({ before: { mode: before }, after: { mode } });
    return viewActivation(ctx, campaign);
  },
);
