import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { raiseConfigVersion } from "../../access/public.ts";
import { resolveRun } from "../../runs/public.ts";
import { announce } from "../../webhooks/public.ts";
import { openEpochs } from "./audience/epoch-store.ts";
import { watchReach } from "./audience/reach.ts";
import { replaceDeclaration } from "./changes/declaration.ts";
import { readMessage, readPushSettings, refuseEvents } from "./message/messages.ts";
import {
  assertMediaExists,
  placeOfMessage,
  resolveAudience,
  resolveGoal,
  resolveTopic,
  storedPages,
} from "./references.ts";
import {
  type DeliveryWindow,
  defaultVariantName,
  messageKindOf,
  onceFault,
  patchVariant,
  purposeFault,
  stepFault,
  topicFault,
  variantsFault,
  visitorsFault,
  windowFault,
} from "./rules.ts";
import type { UpdateCampaignBody, VariantPatch } from "./schema.ts";
import { assertChangeAllowed } from "./status/guardrails.ts";
import {
  type CampaignRow,
  clearControl,
  insertVariants,
  listVariants,
  updateCampaignRow,
  updateVariant,
  type VariantRow,
} from "./store.ts";
import { timingFault } from "./timing.pure.ts";

const refuse = (message: string): ApiError => new ApiError("invalid_request", message);

/** The next free letter, for a variant that came without a name. */
function freeName(variants: readonly VariantRow[]): string {
  const taken = new Set(variants.map((variant) => variant.name));
  let position = variants.length;
  while (taken.has(defaultVariantName(position))) position++;
  return defaultVariantName(position);
}

/** A patch whose message was read by the rules of the campaign's channel. */
type ReadPatch = Omit<VariantPatch, "message"> & { content: Record<string, unknown> | undefined };

/** The patches of a request; a message of the request itself is a patch of the only variant. */
async function readPatches(
  campaign: CampaignRow,
  before: readonly VariantRow[],
  body: UpdateCampaignBody,
): Promise<ReadPatch[]> {
  const kind = messageKindOf(campaign);
  const read = async (message: unknown, at: readonly PropertyKey[]) => {
    if (message === undefined) return undefined;
    const content = await readMessage(kind, message, at);
    if (campaign.journeyId === null) refuseEvents(kind, content, at);
    return content;
  };
  if (body.message !== undefined) {
    const content = await read(body.message, ["message"]);
    return before.map(({ id }) => ({ id: `var_${id}`, content }));
  }
  const patches: ReadPatch[] = [];
  for (const [index, { message, ...patch }] of (body.variants ?? []).entries()) {
    const content = await read(message, ["variants", index, "message"]);
    patches.push({ ...patch, content });
  }
  return patches;
}

/** The variants after a change. Flagging another variant moves the control; nothing is ever removed. */
function changedVariants(
  before: readonly VariantRow[],
  patches: readonly ReadPatch[],
  campaign: CampaignRow,
  now: number,
): VariantRow[] {
  const moved = patches.some((each) => each.isControl === true);
  const after = before.map((variant) => (moved ? { ...variant, isControl: false } : variant));
  const patched = new Set<string>();
  for (const each of patches) {
    const content = each.content;
    if (each.id === undefined) {
      after.push({
        id: newUuid(now),
        campaignId: campaign.id,
        position: after.length,
        name: each.name ?? freeName(after),
        weight: each.weight ?? 1,
        isControl: each.isControl ?? false,
        content: content ?? {},
      });
      continue;
    }
    const uuid = uuidOf("var", each.id);
    const index = after.findIndex((variant) => variant.id === uuid);
    const variant = after[index];
    if (variant === undefined) throw refuse(`variants: ${each.id} is not a variant of this campaign`);
    if (patched.has(variant.id)) throw refuse(`variants: ${each.id} is given twice`);
    patched.add(variant.id);
    after[index] = { ...patchVariant(variant, each), content: content ?? variant.content };
  }
  const fault = variantsFault(after);
  if (fault !== null) throw refuse(fault);
  return after;
}

async function writeVariants(ctx: Ctx, campaign: CampaignRow, body: UpdateCampaignBody): Promise<void> {
  if (body.message === undefined && body.variants === undefined) return;
  const before = await listVariants(ctx.db, ctx.projectId, campaign.id);
  if (body.message !== undefined && before.length > 1) {
    throw refuse("message applies to a campaign with one variant: use variants");
  }
  const patches = await readPatches(campaign, before, body);
  const after = changedVariants(before, patches, campaign, ctx.now);
  await assertMediaExists(
    ctx,
    patches.flatMap(({ content }, index) =>
      content === undefined ? [] : [{ at: placeOfMessage(body, index), content }],
    ),
  );
  await clearControl(ctx.db, ctx.projectId, campaign.id);
  for (const variant of after.slice(0, before.length)) await updateVariant(ctx.db, ctx.projectId, variant);
  await insertVariants(ctx.db, ctx.projectId, after.slice(before.length));
}

/** The fields that say when messages leave, of those that a change sets. */
const changedTiming = ({ sendTime, priority, patienceHours, urgent }: UpdateCampaignBody) => ({
  ...(sendTime === undefined ? {} : { sendTime }),
  ...(priority === undefined ? {} : { priority }),
  ...(patienceHours === undefined ? {} : { patienceHours }),
  ...(urgent === undefined ? {} : { urgent }),
});

/** The fields of the delivery window that a change sets. @throws ApiError where the window is refused */
function changedWindow(
  campaign: CampaignRow,
  body: UpdateCampaignBody,
  now: number,
): Partial<DeliveryWindow> {
  const changes = {
    ...(body.deliverFrom === undefined ? {} : { deliverFrom: body.deliverFrom }),
    ...(body.deliverUntil === undefined ? {} : { deliverUntil: body.deliverUntil }),
  };
  if (Object.keys(changes).length > 0) {
    const { deliverFrom, deliverUntil } = campaign;
    const fault = windowFault(
      { deliverFrom, deliverUntil, ...changes },
      body.deliverUntil !== undefined,
      now,
    );
    if (fault !== null) throw refuse(fault);
  }
  return changes;
}

/**
 * Changes a campaign in every way that a PATCH can: its fields, its variants, its epoch, the version of the configuration. Needs the
 * transaction that locked `before`. @throws ApiError where the change is refused; nothing may be committed then
 */
export async function changeCampaign(
  ctx: Ctx,
  before: CampaignRow,
  body: UpdateCampaignBody,
  from: "campaign" | "journey" = "campaign",
): Promise<void> {
  const { db, projectId, now } = ctx;
  if (before.status === "ended") throw new ApiError("conflict", "This campaign has ended.");
  if (body.message !== undefined && body.variants !== undefined) {
    throw refuse("message and variants must not be given together");
  }
  const assertMayReach = await watchReach(ctx, before);
  await replaceDeclaration(ctx, before.id, body.sourceChanges);
  const pages = body.pages === undefined ? undefined : storedPages(body.pages);
  if (pages !== undefined && pages !== null && before.channel !== "web_inapp")
    throw refuse("pages are for web campaigns only: leave them out");
  const fault =
    purposeFault({
      ...before,
      sensitive: before.isSensitive,
      isForEveryone: body.audience === undefined && (body.targeting ?? null) === null,
      visitors: body.visitors ?? before.visitors,
      pages: pages ?? null,
      once: body.once ?? before.once,
      deliverFrom: body.deliverFrom ?? null,
      deliverUntil: body.deliverUntil ?? null,
    }) ??
    onceFault(before.channel, body.once ?? before.once) ??
    (from === "journey" ? null : stepFault(before, body)) ??
    timingFault(before.channel, before.purpose, body) ??
    topicFault(before.channel, before.purpose, body.topicId ?? null) ??
    visitorsFault(before.channel, body.visitors ?? before.visitors);
  if (fault !== null) throw refuse(fault);
  const push = readPushSettings(before.channel, body.push);
  const audience = await resolveAudience(ctx, body);
  const change = {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(audience === undefined ? {} : { audience }),
    ...(body.visitors === undefined ? {} : { visitors: body.visitors }),
    ...(pages === undefined ? {} : { pages }),
    ...(push === undefined ? {} : { push }),
    ...(body.once === undefined ? {} : { once: body.once }),
    ...changedTiming(body),
    ...(body.goalId === undefined ? {} : { goalId: await resolveGoal(ctx, body.goalId) }),
    ...(body.topicId === undefined ? {} : { topicId: await resolveTopic(ctx, body.topicId) }),
    ...(body.agentRunId === undefined ? {} : { agentRunId: await resolveRun(ctx, body.agentRunId) }),
    ...changedWindow(before, body, now),
  };
  // Mail of a campaign about a topic leads to the page of topics.
  const changesText = body.message !== undefined || body.variants !== undefined || push !== undefined;
  const changesContent = changesText || body.topicId !== undefined;
  const once = body.once ?? before.once;
  const beginsPass = once && (!before.once || audience !== undefined || body.topicId !== undefined);
  await updateCampaignRow(db, projectId, before.id, change, { changesContent, beginsPass });
  await writeVariants(ctx, before, body);
  await assertMayReach();
  await assertChangeAllowed(ctx, before, { ...before, ...change }, body);
  await openEpochs(db, projectId, { campaignId: before.id }, now);
  await raiseConfigVersion(db, projectId);
  const { id: campaignId } = before;
  const data = { status: before.status, by: ctx.by.kind, fields: Object.keys(body).sort() };
  await announce(db, projectId, { type: "campaign.changed", object: campaignId, campaignId, at: now, data });
}
