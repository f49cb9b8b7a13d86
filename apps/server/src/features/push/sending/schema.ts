import { z } from "zod";
import { epochMs, storedAs } from "../../../platform/http/contract/fields.ts";
import { PushContent } from "../../content/push/message.pure.ts";

const counter = z.int().min(0);
const id = z.string().min(1).max(128);
const longId = z.string().min(1).max(256);
const reason = z.string().min(1).max(256);

/** Why a device, or a user without one, has to wait. */
export const WAITING = [
  "no_installation",
  "no_token",
  "no_consent",
  "permission",
  "capability",
  "credential",
  "trait_missing",
  "serving_closed",
  "campaign_paused",
  "campaign_not_ready",
  "window",
  "retry_backoff",
] as const;
export type WaitReason = (typeof WAITING)[number];

/** Why nothing more is sent. */
export type Closed =
  | "accepted"
  | "campaign_ended"
  | "expired"
  | "replaced"
  | "edited"
  | "rejected"
  | "submissions_spent"
  | "uncertain"
  | "binding_changed";

/** A rendered content; for an erased user, the content before personal fields were filled in. */
const RenderedContent = storedAs(PushContent);

export const PushTarget = z
  .strictObject({
    id: longId,
    campaignId: longId,
    deliveryId: longId,
    userId: longId,
    externalId: longId,
    installationId: longId,
    credentialId: longId,
    campaignFingerprint: longId,
    slotId: longId,
    bindingGeneration: counter,
    tokenRevision: counter,
    credentialRevision: counter,
    expiresAt: epochMs,
    createdAt: epochMs,
    createdOrder: counter,
    generation: counter,
    content: RenderedContent,
    replacementKey: z.string().max(64).nullable(),
    test: z.boolean(),
    replacesTargetId: longId.nullable(),
  })
  .describe(
    "What is asked of the provider for one device. Never changes; another generation takes its place.",
  )
  .meta({ id: "PushTarget" });
export type PushTarget = z.infer<typeof PushTarget>;

export const PushAttempt = z
  .strictObject({
    id,
    campaignId: id,
    targetId: id,
    slotId: longId,
    ordinal: counter.describe("Counts the attempts of the slot, from 1."),
    startedAt: epochMs,
    slotRevision: counter,
    validUntil: epochMs,
  })
  .describe("Written before the first byte leaves.")
  .meta({ id: "PushAttempt" });
export type PushAttempt = z.infer<typeof PushAttempt>;

const Result = z.strictObject({
  kind: z
    .enum(["accepted", "rejected", "unknown", "blocked"])
    .describe("Accepted by the provider is not received by the device. Blocked: it never left."),
  providerId: z.string().min(1).max(128).optional(),
  code: z.string().min(1).max(128).optional(),
  retryAfterMs: counter.optional(),
});

export const PushOutcome = z
  .strictObject({
    id,
    campaignId: id,
    attemptId: id,
    targetId: id,
    slotId: longId,
    observedAt: epochMs,
    submission: z.enum(["none", "confirmed", "possible"]).describe("Whether the provider was given it."),
    result: Result,
  })
  .meta({ id: "PushOutcome" });
export type PushOutcome = z.infer<typeof PushOutcome>;

const command = { id, sequence: counter.min(1) };
const receipt = { ...command, targetId: id, attemptId: id };

/** What a device reports of a push, or of its user. */
export const PushCommand = z
  .discriminatedUnion("kind", [
    z.strictObject({ ...receipt, kind: z.enum(["receipt", "tap"]) }),
    z.strictObject({ ...receipt, kind: z.literal("action"), actionId: z.string().min(1).max(64) }),
    z.strictObject({
      ...command,
      kind: z.literal("event"),
      event: z.string().min(1).max(80),
      eventId: id,
      props: z.record(z.string(), z.unknown()).optional(),
    }),
  ])
  .meta({ id: "PushCommand" });
export type PushCommand = z.infer<typeof PushCommand>;

export const PushObservation = z
  .strictObject({
    id,
    installationId: id,
    userId: id,
    digest: id,
    campaignId: z.string().max(128),
    bindingGeneration: counter,
    sequence: counter,
    order: counter,
    receivedAt: epochMs,
    command: PushCommand,
    slotId: longId.nullable(),
  })
  .meta({ id: "PushObservation" });
export type PushObservation = z.infer<typeof PushObservation>;

export const PushConversion = z
  .strictObject({
    id,
    campaignId: id,
    deliveryId: id,
    userId: id,
    eventId: id,
    engagementId: id,
    order: counter,
    convertedAt: epochMs,
  })
  .meta({ id: "PushConversion" });
export type PushConversion = z.infer<typeof PushConversion>;

export const PushRecipient = z
  .strictObject({
    id: longId,
    campaignId: longId,
    userId: longId,
    externalId: longId,
    variantId: longId.describe(
      "Of the delivery. Without one, the variant that the user would get by the weights of now.",
    ),
    deliveryId: longId.nullable(),
    test: z.boolean(),
    state: z.union([
      z.strictObject({ kind: z.literal("active") }),
      z.strictObject({ kind: z.literal("closed"), reason }),
      z.strictObject({
        kind: z.literal("waiting"),
        reason,
        checkedAt: epochMs,
        recheckAt: epochMs,
        delayMs: counter,
      }),
    ]),
  })
  .meta({ id: "PushRecipient" });
export type PushRecipient = z.infer<typeof PushRecipient>;

export const PushSlot = z
  .strictObject({
    id: longId,
    recipientId: longId,
    campaignId: longId,
    userId: longId,
    installationId: longId,
    targetId: longId.nullable(),
    generation: counter,
    revision: counter.describe("Rises whenever the slot changes."),
    sequence: counter.describe("Attempts so far."),
    submissionsUsed: counter,
    expiresAt: epochMs,
    uncertain: z.boolean().describe("Submitted once without an answer: the device may have it."),
    authRefreshRevision: counter.nullable(),
    test: z.boolean(),
    submissionNotBefore: z.number().min(0),
    state: z.union([
      z.strictObject({ kind: z.literal("ready"), at: epochMs }),
      z.strictObject({ kind: z.literal("waiting"), reason, recheckAt: epochMs }),
      z.strictObject({ kind: z.literal("reserved"), attemptId: longId, until: epochMs }),
      z.strictObject({ kind: z.literal("accepted"), acceptanceId: longId }),
      z.strictObject({ kind: z.literal("closed"), reason }),
    ]),
    repair: z.union([
      z.null(),
      z.strictObject({ kind: z.literal("credential"), credentialRevision: counter.min(1) }),
      z.strictObject({
        kind: z.literal("payload"),
        credentialRevision: counter.min(1),
        campaignFingerprint: z.string().max(128),
      }),
    ]),
  })
  .describe("One device of a recipient.")
  .meta({ id: "PushSlot" });
export type PushSlot = z.infer<typeof PushSlot>;

const sevenCounts = z.strictObject({
  targets: counter,
  attempts: counter,
  outcomes: counter,
  observations: counter,
  conversions: counter,
  recipients: counter,
  slots: counter,
});

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(100);

export const PushInspection = z
  .strictObject({
    targets: listOf(PushTarget),
    attempts: listOf(PushAttempt),
    outcomes: listOf(PushOutcome),
    observations: listOf(PushObservation),
    conversions: listOf(PushConversion),
    recipients: listOf(PushRecipient),
    slots: listOf(PushSlot),
    users: z.strictObject({ targeted: counter, accepted: counter, engaged: counter, converted: counter }),
    devices: z
      .strictObject({
        targeted: counter,
        attempts: counter,
        accepted: counter,
        receiptObserved: counter,
        receiptUnknown: counter.describe("Accepted or possibly submitted, without a receipt."),
        confirmedSubmissions: counter,
        possibleSubmissions: counter,
        preSendBlocks: counter,
        pendingOutcomes: counter,
        waiting: counter,
      })
      .describe("Devices, each once, however many generations its target has had."),
    planning: z.strictObject({ waiting: counter, active: counter, closed: counter }),
    testTargets: counter.describe("Of tests, which are nowhere else in here."),
    page: z.int().min(1),
    perPage: z.int().min(1).max(100),
    evaluatedAt: epochMs,
    records: sevenCounts.describe("All there are, in all generations."),
    pageCounts: sevenCounts.describe("Pages of each collection."),
  })
  .describe("Totals cover the whole campaign. Acceptance by the provider is not receipt on the device.")
  .meta({ id: "PushInspection" });
export type PushInspection = z.infer<typeof PushInspection>;
