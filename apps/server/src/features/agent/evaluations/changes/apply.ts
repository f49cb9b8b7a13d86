import { apiId } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import {
  assertLaunchAllowed,
  assertVariantsAllowed,
  byRequest,
  type CampaignRow,
  changeCampaign,
  changeStatus,
  listVariants,
  patchedVariants,
  requireCampaign,
} from "../../../campaigns/authoring/public.ts";
import { type CampaignStatus, messageKindOf } from "../../../campaigns/authoring/rules.ts";
import { GuardrailViolation } from "../../../campaigns/goals/public.ts";
import { changeJourney } from "../../../journeys/authoring/public.ts";
import { journeyFields } from "../../../journeys/authoring/schema.ts";
import { assertLinksOfAgent } from "../limits/links.ts";
import { forbidden } from "../limits/refusals.ts";
import type { HostedMutation } from "../mutation.pure.ts";
import type { LockedEvaluation } from "./act.ts";

/** A refusal of the change itself, as the agent sees it: what the goal forbids is 403, and a field has its place in the request. */
function asAgentSeesIt(error: unknown, payloadHash: string): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error instanceof GuardrailViolation) return forbidden(error, payloadHash);
  if (error.code === "invalid_request") return new ApiError("invalid_request", `mutation.${error.message}`);
  return error;
}

/**
 * Refuses what the guardrails of the goal do not allow, before anything else is said about a change: an agent that is refused for its
 * evidence or for a status then knows that the goal would allow it. @throws ApiError guardrail_violated
 */
export async function assertAllowed(
  ctx: Ctx,
  campaign: CampaignRow,
  mutation: HostedMutation,
  payloadHash: string,
): Promise<void> {
  try {
    if (mutation.type === "update") await assertVariantsAllowed(ctx, campaign, mutation.variants ?? []);
    else if (mutation.type === "status" && mutation.action === "launch")
      await assertLaunchAllowed(ctx, campaign);
  } catch (error) {
    throw asAgentSeesIt(error, payloadHash);
  }
}

/**
 * Refuses a change whose links lead where no person has allowed an agent to link in this campaign. A change that a person has approved needs
 * no such permission: the person has read the links. @throws ApiError guardrail_violated with the field and the host
 */
export async function assertLinksAllowed(
  ctx: Ctx,
  campaign: CampaignRow,
  mutation: HostedMutation,
  payloadHash: string,
): Promise<void> {
  if (mutation.type !== "update" || mutation.variants === undefined) return;
  const before = await listVariants(ctx.db, ctx.projectId, campaign.id);
  const after = await patchedVariants(messageKindOf(campaign), before, mutation.variants);
  try {
    await assertLinksOfAgent(ctx, campaign.channel, { before, after });
  } catch (error) {
    throw asAgentSeesIt(error, payloadHash);
  }
}

/** Changes a campaign as a mutation says, and a run (UUID) explains (null: it is only tried); answers its status. Needs the transaction that locked it. @throws ApiError where it is refused */
export async function applyMutation(
  ctx: Ctx,
  { campaign, journey, payloadHash }: Pick<LockedEvaluation, "campaign" | "journey" | "payloadHash">,
  mutation: HostedMutation,
  runId: string | null,
): Promise<CampaignStatus> {
  try {
    if (mutation.type === "journey") {
      if (journey === null) throw new Error("The steps of a journey are to change, and it is not locked.");
      const { expectedVersion, moves } = mutation;
      const steps = journeyFields.steps.parse(mutation.steps);
      await changeJourney(ctx, journey, { expectedVersion, steps, moves });
      // The step of this campaign may be one of those that were taken away.
      const { status } = await requireCampaign(ctx, apiId("cmp", campaign.id));
      return status as CampaignStatus;
    }
    if (mutation.type === "status") {
      const pausing = {
        by: ctx.by.kind,
        name: ctx.by.name,
        runId: runId === null ? null : apiId("run", runId),
      };
      return await changeStatus(ctx, campaign, mutation.action, byRequest(ctx), pausing);
    }
    const { type: _, ...change } = mutation;
    await changeCampaign(ctx, campaign, change);
    return campaign.status as CampaignStatus;
  } catch (error) {
    throw asAgentSeesIt(error, payloadHash);
  }
}
