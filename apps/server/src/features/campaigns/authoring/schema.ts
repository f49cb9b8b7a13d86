import { z } from "zod";
import { anyOf, count, epochMs, instant, patch, storedAs, text } from "../../../platform/http/fields.ts";
import { Audience, AudienceInput, Targeting } from "../../audience/language/schema.ts";
import { EmailMessage } from "../../content/email/message.pure.ts";
import { PushContent, PushSettings } from "../../content/push/message.pure.ts";
import { WebMessage } from "./message.pure.ts";
import { MAX_VARIANTS } from "./rules.ts";

const id = z.string().max(128);

/** How many deliveries of a campaign, or of one variant, reached each point. Exact when read. */
export const CampaignStats = z
  .object({
    sent: count,
    frequencyCapped: count,
    delivered: count,
    shown: count,
    opened: count,
    clicked: count,
    dismissed: count,
    bounced: count,
    complained: count,
    unsubscribed: count,
    converted: count,
  })
  .meta({ id: "CampaignStats" });
export type CampaignStats = z.infer<typeof CampaignStats>;

export const EffectiveStatus = z.enum(["draft", "scheduled", "running", "paused", "expired", "ended"]);
export const Channel = z.enum(["web_inapp", "email", "push"]);
export type Channel = z.infer<typeof Channel>;
export const StoredStatus = z.enum(["draft", "running", "paused", "ended"]);

/** A message as it is stored and shown: the shape follows from the channel. */
const StoredMessage = storedAs(WebMessage, EmailMessage, PushContent);

export const Variant = z
  .object({
    id,
    name: z.string().max(40),
    weight: z.int().min(0).max(100),
    isControl: z.boolean(),
    content: StoredMessage,
    stats: CampaignStats,
  })
  .meta({ id: "Variant" });
export type Variant = z.infer<typeof Variant>;

/** A campaign as lists show it. `startedAt` and `endedAt` are absent until set. */
export const Campaign = z
  .object({
    id,
    name: z.string().max(80),
    status: StoredStatus,
    effectiveStatus: EffectiveStatus,
    channel: Channel,
    goalId: z.string().max(128).nullable(),
    agentRunId: id.nullable(),
    createdBy: z.string().max(40),
    createdAt: epochMs,
    startedAt: epochMs.optional(),
    endedAt: epochMs.optional(),
    deliverFrom: epochMs.nullable(),
    deliverUntil: epochMs.nullable(),
    audience: Audience,
    targeting: Targeting.nullable(),
    pages: z.array(z.string().max(256)).max(20).nullable(),
    stats: CampaignStats,
    push: PushSettings.nullable().describe("Null for the other channels."),
  })
  .meta({ id: "Campaign" });
export type Campaign = z.infer<typeof Campaign>;

export const CampaignDetail = Campaign.extend({ variants: z.array(Variant).max(MAX_VARIANTS) }).meta({
  id: "CampaignDetail",
});
export type CampaignDetail = z.infer<typeof CampaignDetail>;

/** A message in a request: its shape depends on the campaign's channel. */
export const MessageInput = anyOf(WebMessage, EmailMessage, PushContent);

const variantName = text(40);
const weight = z.int().min(0).max(100);

/** A variant of a campaign that is being made. */
const VariantInput = z.object({
  name: variantName.optional(),
  message: MessageInput,
  weight: weight.optional(),
  isControl: z.boolean().optional(),
});

export type VariantInput = z.infer<typeof VariantInput>;

/** Refuses a field that is not supported yet, because ignoring it would drop what the caller has declared. */
const notYet = z.undefined("is not available: source changes are not part of this version").optional();

/** In a request the time to live may be left out. */
const PushSettingsInput = PushSettings.extend({
  ttlSeconds: PushSettings.shape.ttlSeconds.unwrap().optional(),
}).meta({
  id: "PushSettingsInput",
  description: "Push campaigns have them, and no others.",
});
export type PushSettingsInput = z.infer<typeof PushSettingsInput>;

const pagePattern = text(256)
  .refine((pattern) => pattern.startsWith("/"), "must start with /")
  .meta({ pattern: "^/" });

const shared = {
  name: text(80),
  audience: AudienceInput,
  targeting: Targeting.nullable(),
  pages: z.array(pagePattern).max(20).nullable(),
  goalId: text(128).nullable(),
  agentRunId: text(128).nullable(),
  deliverFrom: instant.nullable(),
  deliverUntil: instant.nullable(),
  message: MessageInput.optional(),
};

export const CreateCampaignBody = z.object({
  ...shared,
  channel: Channel.default("web_inapp").describe(
    "It cannot be changed later, and says what a message looks like.",
  ),
  audience: shared.audience.optional(),
  targeting: shared.targeting.optional(),
  pages: shared.pages.optional(),
  goalId: shared.goalId.optional(),
  agentRunId: shared.agentRunId.optional(),
  deliverFrom: shared.deliverFrom.optional(),
  deliverUntil: shared.deliverUntil.optional(),
  variants: z.array(VariantInput).min(1).max(MAX_VARIANTS).optional(),
  launch: z.boolean().default(false),
  sourceChanges: notYet,
  push: PushSettingsInput.optional(),
});
export type CreateCampaignBody = z.infer<typeof CreateCampaignBody>;

export const VariantPatch = z
  .object({
    id: id.min(1).optional(),
    name: variantName.optional(),
    message: MessageInput.optional(),
    weight: weight.optional(),
    isControl: z.boolean().optional(),
  })
  .check((ctx) => {
    const { id: given, ...changes } = ctx.value;
    const fault =
      given === undefined
        ? changes.message === undefined && "must have a message: without an id it makes a new variant"
        : Object.values(changes).every((value) => value === undefined) &&
          "must change something beside naming an id";
    if (fault) ctx.issues.push({ code: "custom", message: fault, input: ctx.value });
  });
export type VariantPatch = z.infer<typeof VariantPatch>;

/** Any subset of the fields that may change. */
export const UpdateCampaignBody = patch({
  ...shared,
  variants: z.array(VariantPatch).min(1).max(MAX_VARIANTS),
  sourceChanges: notYet,
  push: PushSettingsInput.optional(),
});
export type UpdateCampaignBody = z.infer<typeof UpdateCampaignBody>;
