import { z } from "zod";
import { example } from "../../../domain/fields.ts";
import { epochMs, storedAs } from "../../../platform/http/contract/fields.ts";
import { PushContent } from "../../content/push/message.pure.ts";

const counter = z.int().min(0);
const id = z.string().min(1).max(128);
const longId = z.string().min(1).max(256);
const reason = z.string().min(1).max(256).describe("Why it waits, or is closed.");

/** What many of these records have, and what it means there. */
const meaning = {
  campaign: { description: "The campaign that it is about.", example: example.campaign },
  delivery: { description: "The delivery: one campaign for one user.", example: example.delivery },
  user: { description: "The user's id in your product.", example: "ada" },
  installation: { description: "The installation, by the id that the app made up.", example: "phone-1" },
  slot: { description: "The slot: one device of a recipient.", example: "slot_1" },
  target: { description: "The target: what is asked of the provider for one device.", example: "tgt_1" },
  attempt: { description: "The attempt to send it.", example: "att_1" },
  binding: { description: "How often the user of the installation has changed.", example: 1 },
  order: { description: "Its place among everything that was recorded.", example: 1 },
  generation: { description: "Counts the targets of a slot.", example: 1 },
  test: { description: "Whether it belongs to a test.", example: false },
};

/** Why a device, or a user without one, has to wait. */
export const WAITING = [
  "no_installation",
  "no_token",
  "no_consent",
  "permission",
  "capability",
  "credential",
  "not_subscribed",
  "trait_missing",
  "serving_closed",
  "campaign_paused",
  "campaign_not_ready",
  "window",
  "retry_backoff",
  "local_hour",
  "quiet",
  "pressure",
] as const;
export type WaitReason = (typeof WAITING)[number];

/** Why a user or a device waits that stops at a gate. @throws where it is no reason to wait */
export function waitReason(reason: string | null): WaitReason {
  const waiting = WAITING.find((each) => each === reason);
  if (waiting === undefined) throw new Error(`No push waits for ${reason}.`);
  return waiting;
}

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
  | "binding_changed"
  | "patience"
  | "left_journey";

/** A rendered content; for an erased user, the content before personal fields were filled in. */
const RenderedContent = storedAs(PushContent);

export const PushTarget = z
  .strictObject({
    id: longId.meta({ description: "Id of the target.", example: "tgt_1" }),
    campaignId: longId.meta(meaning.campaign),
    deliveryId: longId.meta(meaning.delivery),
    userId: longId.meta(meaning.user),
    externalId: longId.meta(meaning.user),
    installationId: longId.meta(meaning.installation),
    credentialId: longId.meta({ description: "The credential that it is sent with.", example: "pcr_1" }),
    campaignFingerprint: longId.meta({
      description: "What the campaign said, as a hash.",
      example: example.hash,
    }),
    slotId: longId.meta(meaning.slot),
    bindingGeneration: counter.meta(meaning.binding),
    tokenRevision: counter.meta({ description: "How often another token was put, or removed.", example: 1 }),
    credentialRevision: counter.meta({ description: "Revision of the credential.", example: 1 }),
    expiresAt: epochMs,
    createdAt: epochMs,
    createdOrder: counter.meta(meaning.order),
    generation: counter.meta(meaning.generation),
    content: RenderedContent.meta({
      description:
        "What it says, with the personal fields filled in; of an erased user, what it was filled in from.",
      example: {
        title: "Your report is ready",
        body: "Have a look",
        destination: { kind: "app", url: "acme://reports/7" },
      },
    }),
    replacementKey: z.string().max(64).nullable().meta({
      description: "A push takes the place of an earlier one with the same key on a device.",
      example: null,
    }),
    test: z.boolean().meta(meaning.test),
    replacesTargetId: longId
      .nullable()
      .meta({ description: "The target that it takes the place of.", example: null }),
  })
  .describe(
    "What is asked of the provider for one device. Never changes; another generation takes its place.",
  )
  .meta({ id: "PushTarget" });
export type PushTarget = z.infer<typeof PushTarget>;

export const PushAttempt = z
  .strictObject({
    id: id.meta({ description: "Id of the attempt.", example: "att_1" }),
    campaignId: id.meta(meaning.campaign),
    targetId: id.meta(meaning.target),
    slotId: longId.meta(meaning.slot),
    ordinal: counter.describe("Counts the attempts of the slot, from 1."),
    startedAt: epochMs,
    slotRevision: counter.meta({ description: "Revision of the slot that it was made at.", example: 1 }),
    validUntil: epochMs,
  })
  .describe("Written before the first byte leaves.")
  .meta({ id: "PushAttempt" });
export type PushAttempt = z.infer<typeof PushAttempt>;

const Result = z.strictObject({
  kind: z
    .enum(["accepted", "rejected", "unknown", "blocked"])
    .describe("Accepted by the provider is not received by the device. Blocked: it never left."),
  providerId: z.string().min(1).max(128).optional().describe("The provider's id of the push."),
  code: z.string().min(1).max(128).optional().describe("The provider's reason, or ours."),
  retryAfterMs: counter.optional().describe("How long the provider wants to be left alone, in milliseconds."),
});

export const PushOutcome = z
  .strictObject({
    id: id.meta({ description: "Id of the outcome.", example: "out_1" }),
    campaignId: id.meta(meaning.campaign),
    attemptId: id.meta(meaning.attempt),
    targetId: id.meta(meaning.target),
    slotId: longId.meta(meaning.slot),
    observedAt: epochMs,
    submission: z.enum(["none", "confirmed", "possible"]).describe("Whether the provider was given it."),
    result: Result.describe("What the provider said."),
  })
  .meta({ id: "PushOutcome" });
export type PushOutcome = z.infer<typeof PushOutcome>;

const command = {
  id: id.meta({ description: "Its name among those of the binding.", example: "opened-1" }),
  sequence: counter.min(1).meta({ description: "Counts from 1, without a gap.", example: 1 }),
};
const receipt = {
  ...command,
  targetId: id.meta(meaning.target),
  attemptId: id.meta(meaning.attempt),
};

/** What a device reports of a push, or of its user. */
export const PushCommand = z
  .discriminatedUnion("kind", [
    z.strictObject({ ...receipt, kind: z.enum(["receipt", "tap"]).describe("Which kind it is of.") }),
    z.strictObject({
      ...receipt,
      kind: z.literal("action").describe("Which kind it is of."),
      actionId: z.string().min(1).max(64).describe("The button that was used."),
    }),
    z.strictObject({
      ...command,
      kind: z.literal("event").describe("Which kind it is of."),
      event: z.string().min(1).max(80).describe("Name of the event."),
      eventId: id.describe("Your id of this occurrence: sent again, it is not counted again."),
      props: z.record(z.string(), z.unknown()).optional().describe("What is known of this occurrence."),
    }),
  ])
  .meta({ id: "PushCommand" });
export type PushCommand = z.infer<typeof PushCommand>;

export const PushObservation = z
  .strictObject({
    id: id.meta({ description: "Id of the observation.", example: "obs_1" }),
    installationId: id.meta(meaning.installation),
    userId: id.meta(meaning.user),
    digest: id.meta({ description: "Hash of what the device said.", example: example.hash }),
    campaignId: z.string().max(128).meta(meaning.campaign),
    bindingGeneration: counter.meta(meaning.binding),
    sequence: counter.meta({ description: "Counts from 1, without a gap.", example: 1 }),
    order: counter.meta(meaning.order),
    receivedAt: epochMs,
    command: PushCommand.describe("What the device said."),
    slotId: longId.nullable().meta(meaning.slot),
  })
  .meta({ id: "PushObservation" });
export type PushObservation = z.infer<typeof PushObservation>;

export const PushConversion = z
  .strictObject({
    id: id.meta({ description: "Id of the conversion.", example: "cnv_1" }),
    campaignId: id.meta(meaning.campaign),
    deliveryId: id.meta(meaning.delivery),
    userId: id.meta(meaning.user),
    eventId: id.meta({
      description: "Your id of this occurrence: sent again, it is not counted again.",
      example: "order-1",
    }),
    engagementId: id.meta({ description: "The tap or action before it.", example: "obs_1" }),
    order: counter.meta(meaning.order),
    convertedAt: epochMs,
  })
  .meta({ id: "PushConversion" });
export type PushConversion = z.infer<typeof PushConversion>;

export const PushRecipient = z
  .strictObject({
    id: longId.meta({ description: "Id of the recipient.", example: "rcp_1" }),
    campaignId: longId.meta(meaning.campaign),
    userId: longId.meta(meaning.user),
    externalId: longId.meta(meaning.user),
    variantId: longId.meta({
      description: "Of the delivery. Without one, the variant that the user would get by the weights of now.",
      example: example.variant,
    }),
    deliveryId: longId.nullable().meta(meaning.delivery),
    test: z.boolean().meta(meaning.test),
    state: z
      .union([
        z.strictObject({ kind: z.literal("active").describe("Which kind it is of.") }),
        z.strictObject({
          kind: z.literal("closed").describe("Which kind it is of."),
          reason,
        }),
        z.strictObject({
          kind: z.literal("waiting").describe("Which kind it is of."),
          reason,
          checkedAt: epochMs,
          recheckAt: epochMs,
          delayMs: counter.describe("How long it waits between looks, in milliseconds."),
        }),
      ])
      .describe("Whether it can be sent to the user."),
  })
  .meta({ id: "PushRecipient" });
export type PushRecipient = z.infer<typeof PushRecipient>;

export const PushSlot = z
  .strictObject({
    id: longId.meta({ description: "Id of the slot.", example: "slot_1" }),
    recipientId: longId.meta({ description: "The recipient that it belongs to.", example: "rcp_1" }),
    campaignId: longId.meta(meaning.campaign),
    userId: longId.meta(meaning.user),
    installationId: longId.meta(meaning.installation),
    targetId: longId.nullable().meta(meaning.target),
    generation: counter.meta(meaning.generation),
    revision: counter.meta({ description: "Rises whenever the slot changes.", example: 1 }),
    sequence: counter.meta({ description: "Attempts so far.", example: 1 }),
    submissionsUsed: counter.meta({ description: "Submissions so far, of three.", example: 1 }),
    expiresAt: epochMs,
    uncertain: z.boolean().describe("Submitted once without an answer: the device may have it."),
    authRefreshRevision: counter.nullable().meta({
      description: "Revision of the credential for which it was tried once more with a fresh proof.",
      example: null,
    }),
    test: z.boolean().meta(meaning.test),
    submissionNotBefore: z.number().min(0).describe("Epoch milliseconds before which it is not submitted."),
    state: z
      .union([
        z.strictObject({ kind: z.literal("ready").describe("Which kind it is of."), at: epochMs }),
        z.strictObject({
          kind: z.literal("waiting").describe("Which kind it is of."),
          reason,
          recheckAt: epochMs,
        }),
        z.strictObject({
          kind: z.literal("reserved").describe("Which kind it is of."),
          attemptId: longId.describe("The attempt to send it."),
          until: epochMs,
        }),
        z.strictObject({
          kind: z.literal("accepted").describe("Which kind it is of."),
          acceptanceId: longId.describe("The outcome that accepted it."),
        }),
        z.strictObject({
          kind: z.literal("closed").describe("Which kind it is of."),
          reason,
        }),
      ])
      .describe("What happens with the device next."),
    repair: z
      .union([
        z.null(),
        z.strictObject({
          kind: z.literal("credential").describe("Which kind it is of."),
          credentialRevision: counter.min(1).describe("Revision of the credential."),
        }),
        z.strictObject({
          kind: z.literal("payload").describe("Which kind it is of."),
          credentialRevision: counter.min(1).describe("Revision of the credential."),
          campaignFingerprint: z.string().max(128).describe("What the campaign said, as a hash."),
        }),
      ])
      .describe("What it waits for after it was refused for good."),
  })
  .describe("One device of a recipient.")
  .meta({ id: "PushSlot" });
export type PushSlot = z.infer<typeof PushSlot>;

const sevenCounts = z.strictObject({
  targets: counter.describe("What was asked of the provider."),
  attempts: counter.describe("Attempts to send."),
  outcomes: counter.describe("What became of attempts."),
  observations: counter.describe("What devices said."),
  conversions: counter.describe("Who did what the goal wants."),
  recipients: counter.describe("Users who are to get it."),
  slots: counter.describe("Devices of recipients."),
});

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(100);

export const PushInspection = z
  .strictObject({
    targets: listOf(PushTarget).describe("What was asked of the provider."),
    attempts: listOf(PushAttempt).describe("Attempts to send."),
    outcomes: listOf(PushOutcome).describe("What became of attempts."),
    observations: listOf(PushObservation).describe("What devices said."),
    conversions: listOf(PushConversion).describe("Who did what the goal wants."),
    recipients: listOf(PushRecipient).describe("Users who are to get it."),
    slots: listOf(PushSlot).describe("Devices of recipients."),
    users: z
      .strictObject({
        targeted: counter.meta({ description: "That it was meant for.", example: 100 }),
        accepted: counter.meta({ description: "That the provider took it for.", example: 98 }),
        engaged: counter.meta({ description: "Users who tapped it or used a button.", example: 12 }),
        converted: counter.meta({
          description: "Users who did what the goal wants after they engaged.",
          example: 9,
        }),
      })
      .describe("Users."),
    devices: z
      .strictObject({
        targeted: counter.meta({ description: "That it was meant for.", example: 100 }),
        attempts: counter.describe("Attempts to send."),
        accepted: counter.meta({ description: "That the provider took it for.", example: 98 }),
        receiptObserved: counter.meta({ description: "That said that it arrived.", example: 80 }),
        receiptUnknown: counter.describe("Accepted or possibly submitted, without a receipt."),
        confirmedSubmissions: counter.meta({
          description: "Submissions that the provider answered.",
          example: 98,
        }),
        possibleSubmissions: counter.meta({ description: "Submissions without an answer.", example: 0 }),
        preSendBlocks: counter.meta({ description: "Attempts that never left.", example: 0 }),
        pendingOutcomes: counter.meta({ description: "Attempts without an outcome yet.", example: 0 }),
        waiting: counter.meta({ description: "That wait for something.", example: 2 }),
      })
      .describe("Devices, each once, however many generations its target has had."),
    planning: z
      .strictObject({
        waiting: counter.meta({ description: "That wait for something.", example: 2 }),
        active: counter.meta({ description: "Users who can be sent to.", example: 98 }),
        closed: counter.meta({ description: "Users to whom nothing more is sent.", example: 0 }),
      })
      .describe("Users by what planning says of them."),
    testTargets: counter.describe("Of tests, which are nowhere else in here."),
    page: z.int().min(1).meta({ description: "The page, from 1.", example: 1 }),
    perPage: z.int().min(1).max(100).meta({ description: "Entries of a page.", example: 25 }),
    evaluatedAt: epochMs,
    records: sevenCounts.describe("All there are, in all generations."),
    pageCounts: sevenCounts.describe("Pages of each collection."),
  })
  .describe("Totals cover the whole campaign. Acceptance by the provider is not receipt on the device.")
  .meta({ id: "PushInspection" });
export type PushInspection = z.infer<typeof PushInspection>;
