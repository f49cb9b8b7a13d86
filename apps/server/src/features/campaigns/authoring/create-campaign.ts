import { z } from "zod";
import { type Ctx, endpoint, KIB, makerOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import { resolveRun } from "../../runs/public.ts";
import { openEpochs } from "./audience/epoch-store.ts";
import { declareChanges } from "./changes/declaration.ts";
import { newPushSettings, readMessage, refuseEvents } from "./message/messages.ts";
import { warningsOf, withWarnings } from "./message/warnings.ts";
import {
  assertMediaExists,
  pathOfMessage,
  placeOfMessage,
  resolveAudience,
  resolveGoal,
  resolveTopic,
  storedPages,
} from "./references.ts";
import {
  type CampaignMaker,
  defaultVariantName,
  messageKindOf,
  onceFault,
  purposeFault,
  topicFault,
  variantsFault,
  visitorsFault,
  windowFault,
} from "./rules.ts";
import { CampaignDetail, CreateCampaignBody, type VariantInput } from "./schema.ts";
import { announceStatus } from "./status/announce.ts";
import { assertNewAllowed } from "./status/guardrails.ts";
import {
  assertMayLaunch,
  byRequest,
  LAUNCH_REASONS,
  launchRefusalFields,
  recordLaunch,
} from "./status/launch-gates.ts";
import { insertCampaign, insertVariants, type VariantRow } from "./store.ts";
import { timingFault } from "./timing.pure.ts";
import { viewCampaignDetail } from "./view.ts";

/** The variants of a request; a single message is one variant named A. */
async function newVariants(
  body: CreateCampaignBody,
  campaignId: string,
  now: number,
  { journeyId }: StepOfJourney,
): Promise<VariantRow[]> {
  const { message } = body;
  const inputs: VariantInput[] | undefined = message === undefined ? body.variants : [{ message }];
  if (inputs === undefined || (message !== undefined && body.variants !== undefined)) {
    throw new ApiError("invalid_request", "exactly one of message and variants is required");
  }
  const hasControl = inputs.some((input) => input.isControl);
  const variants: VariantRow[] = [];
  for (const [position, input] of inputs.entries()) {
    const place = message === undefined ? ["variants", position, "message"] : ["message"];
    const content = await readMessage(messageKindOf(body), input.message, place);
    if (journeyId === null) refuseEvents(messageKindOf(body), content, place);
    variants.push({
      id: newUuid(now),
      campaignId,
      position,
      name: input.name ?? defaultVariantName(position),
      weight: input.weight ?? 1,
      isControl: input.isControl ?? (!hasControl && position === 0),
      content,
    });
  }
  const fault = variantsFault(variants);
  if (fault !== null) throw new ApiError("invalid_request", fault);
  return variants;
}

/** The step of a journey whose message a campaign is; both null for any other campaign. */
type StepOfJourney = { journeyId: string; stepId: string } | { journeyId: null; stepId: null };
const NO_STEP: StepOfJourney = { journeyId: null, stepId: null };

/**
 * Creates a campaign, and launches it if requested. Needs a transaction. @param createdBy who makes it, as the API shows it
 * @throws ApiError where the request is refused
 */
export async function makeCampaign(
  ctx: Ctx,
  body: CreateCampaignBody,
  createdBy: CampaignMaker = makerOf(ctx),
  step: StepOfJourney = NO_STEP,
): Promise<CampaignDetail> {
  const { projectId, now } = ctx;
  const id = newUuid(now);
  const variants = await newVariants(body, id, now, step);
  const window = { deliverFrom: body.deliverFrom ?? null, deliverUntil: body.deliverUntil ?? null };
  const key = body.key ?? null;
  const isForEveryone = body.audience === undefined && (body.targeting ?? null) === null;
  const fault =
    purposeFault({ ...body, ...window, key, isForEveryone, pages: body.pages ?? null }) ??
    windowFault(window, true, now) ??
    onceFault(body.channel, body.once) ??
    timingFault(body.channel, body.purpose, body) ??
    topicFault(body.channel, body.purpose, body.topicId ?? null) ??
    visitorsFault(body.channel, body.visitors);
  if (fault !== null) throw new ApiError("invalid_request", fault);
  if (createdBy === "agent" && body.urgent)
    throw new ApiError("invalid_request", "urgent is for people to decide: leave it out");
  const pages = storedPages(body.pages ?? null);
  if (pages !== null && body.channel !== "web_inapp")
    throw new ApiError("invalid_request", "pages are for web campaigns only: leave them out");
  const push = newPushSettings(body.channel, body.push);
  const audience = (await resolveAudience(ctx, body)) ?? { kind: "all" };
  await assertMediaExists(
    ctx,
    variants.map(({ content }, index) => ({ at: placeOfMessage(body, index), content })),
  );
  const goalId = await resolveGoal(ctx, body.goalId ?? null);
  const topicId = await resolveTopic(ctx, body.topicId ?? null);
  const agentRunId = await resolveRun(ctx, body.agentRunId ?? null);
  const isNew = await insertCampaign(ctx.db, projectId, {
    id,
    name: body.name,
    status: body.launch ? "running" : "draft",
    channel: body.channel,
    purpose: body.purpose,
    key,
    isSensitive: body.sensitive,
    goalId,
    topicId,
    agentRunId,
    ...step,
    createdBy,
    createdAt: now,
    startedAt: body.launch ? now : null,
    ...window,
    once: body.once,
    sendTime: body.sendTime,
    priority: body.priority,
    patienceHours: body.patienceHours,
    urgent: body.urgent,
    audience,
    visitors: body.visitors,
    pages,
    push,
  });
  if (!isNew)
    throw new ApiError("conflict", `key is taken by another template: ${key}`, {
      fields: { reason: "key_taken" },
    });
  await insertVariants(ctx.db, projectId, variants);
  await declareChanges(ctx, id, body.sourceChanges?.changes ?? []);
  const made = { id, channel: body.channel, purpose: body.purpose, goalId, topicId, audience, ...window };
  if (body.launch) {
    const launch = byRequest(ctx);
    await assertMayLaunch(ctx, made, launch);
    await ctx.app.ask(recordLaunch)(ctx, { ...made, startedAt: null }, launch);
    await openEpochs(ctx.db, projectId, { campaignId: id }, now);
    await announceStatus(ctx, id, "launch", { status: "running", by: ctx.by.kind });
  } else await assertNewAllowed(ctx, made);
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
    audit: "made a campaign",
    tag: "Campaigns",
    summary: "Create a campaign, and launch it if asked",
    description:
      "Exactly one of `message` (one variant named A) and `variants`. Without `pages` a web campaign shows everywhere. `push` is for push campaigns, and required there.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    // An older form of the audience, what drafts from code declare, and templates, which programs send, would only lead a model astray. When
    // messages leave is for people to decide.
    tool: {
      isDestructive: true,
      hides: [
        "targeting",
        "sourceChanges",
        "purpose",
        "key",
        "sensitive",
        "sendTime",
        "priority",
        "patienceHours",
        "urgent",
      ],
    },
    bodyLimit: 256 * KIB,
    body: CreateCampaignBody,
    example: {
      name: "Offer the pro plan",
      audience: {
        kind: "expression",
        expression: {
          version: 1,
          root: {
            kind: "all",
            children: [
              { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "free" },
              { kind: "not", child: { kind: "event", event: "upgraded" } },
            ],
          },
        },
      },
      pages: ["/reports*"],
      message: {
        presentation: "toast",
        title: "Twice the reports, half the price",
        cta: { label: "Upgrade", destination: { kind: "website", url: "https://example.com/upgrade" } },
      },
    },
    status: 201,
    result: z.object({ campaign: CampaignDetail.describe("The campaign."), ...withWarnings }),
    errors: ["not_found", "conflict"],
    reasons: [...LAUNCH_REASONS, "key_taken"],
    refusalFields: launchRefusalFields,
  },
  async (ctx, { body }) => {
    const campaign = await makeCampaign(ctx, body);
    const { name, channel, status } = campaign;
    ctx.describe({ after: { name, channel, status } });
    const messages = campaign.variants.map(({ content }, index) => ({
      content,
      at: pathOfMessage(body, index),
    }));
    return { campaign, ...(await warningsOf(ctx, messageKindOf(body), messages)) };
  },
);
