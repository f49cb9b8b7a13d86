import { z } from "zod";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import { clientOf } from "../../../platform/db/batch/client-of.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import {
  authorOf,
  byRequest,
  changeStatus,
  findCampaign,
  LAUNCH_REASONS,
  launchRefusalFields,
  listVariants,
  type MessageOfKind,
  warningsOfKinds,
  withWarnings,
} from "../../campaigns/authoring/public.ts";
import { StoredStatus } from "../../campaigns/authoring/schema.ts";
import { stepCampaigns } from "./definition.ts";
import { openEpoch } from "./epochs.ts";
import { setFill } from "./fill-store.ts";
import { requireJourney } from "./require-journey.ts";
import { ACTIONS, type JourneyAction } from "./rules.ts";
import { firstFillOf } from "./schedule.pure.ts";
import { journeyInPath } from "./schema.ts";
import { hasRoom, type JourneyRow, moveJourney } from "./store.ts";
import { readDefinition } from "./stored.pure.ts";

/** The messages of all steps, with their places in the journey. */
async function messagesOf(ctx: Ctx, journey: JourneyRow): Promise<MessageOfKind[]> {
  const steps = readDefinition(journey.definition)?.steps ?? [];
  const messages: MessageOfKind[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.kind !== "send") continue;
    const campaign = await findCampaign(ctx.db, ctx.projectId, uuidFor("cmp", step.campaignId));
    if (campaign === null) continue;
    const variants = await listVariants(ctx.db, ctx.projectId, campaign.id);
    for (const [position, { content }] of variants.entries())
      messages.push({
        kind: campaign.channel,
        content,
        at: ["steps", index, "variants", position, "content"],
      });
  }
  return messages;
}

/** Does to the campaigns of the steps what is done to the journey: all of them, or none. */
async function changeSteps(ctx: Ctx, journey: JourneyRow, action: JourneyAction): Promise<void> {
  const definition = readDefinition(journey.definition);
  for (const [stepId, id] of definition === null ? [] : stepCampaigns(definition)) {
    const campaign = await findCampaign(ctx.db, ctx.projectId, id, "for update");
    if (campaign === null || !ACTIONS[action].from.includes(campaign.status)) continue;
    try {
      await changeStatus(ctx, campaign, action, byRequest(ctx), authorOf(ctx.by), "journey");
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== "conflict") throw cause;
      throw new ApiError("conflict", `${stepId}: ${cause.message}`, { fields: { ...cause.fields, stepId } });
    }
  }
}

export const setJourneyStatus = endpoint(
  {
    id: "setJourneyStatus",
    method: "POST",
    path: "/api/v1/journeys/{id}/status",
    audit: "changed the status of a journey",
    tag: "Journeys",
    summary: "Launch, pause or end a journey",
    description:
      "With it all of its steps, or none. While it is paused nobody enters or moves, and time goes on; `end` is for good, and everyone leaves.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "What users go through is for people to decide.",
    params: z.object({ id: journeyInPath }),
    body: z.object({ action: z.enum(["launch", "pause", "end"]).describe("What to do with it.") }),
    example: { action: "pause" },
    result: z.object({
      id: z.string().max(128).describe("Id of the journey."),
      status: StoredStatus.describe("Its state."),
      ...withWarnings,
    }),
    errors: ["not_found", "conflict"],
    reasons: [...LAUNCH_REASONS, "too_many"],
    refusalFields: {
      ...launchRefusalFields,
      stepId: { type: "string", maxLength: 32, description: "The step that refuses." },
    },
  },
  async (ctx, { params, body: { action } }) => {
    const { db, projectId, now } = ctx;
    const journey = await requireJourney(ctx, params.id, "for update");
    const { from, to } = ACTIONS[action];
    if (!from.includes(journey.status))
      throw new ApiError("conflict", `A journey that is ${journey.status} cannot be changed by ${action}.`);
    if (journey.status === "draft" && action === "launch" && !(await hasRoom(db, projectId)))
      throw new ApiError("conflict", "50 journeys run or are paused already: end one first.", {
        fields: { reason: "too_many" },
      });
    await changeSteps(ctx, journey, action);
    await moveJourney(db, projectId, journey.id, { from, to, now });
    const definition = to === "running" ? readDefinition(journey.definition) : null;
    const dueAt = definition === null ? null : firstFillOf(definition, now);
    await setFill(db, projectId, journey.id, { dueAt, now });
    if (to === "running") await openEpoch(clientOf(db), journey, now);
    await raiseConfigVersion(db, projectId);
    ctx.describe({
      target: apiId("jrn", journey.id),
      before: { status: journey.status },
      after: { status: to },
    });
    const warned = action === "launch" ? await warningsOfKinds(ctx, await messagesOf(ctx, journey)) : {};
    return { id: params.id, status: to, ...warned };
  },
);
