import { z } from "zod";
import { answerIds } from "../../../domain/fields.ts";
import { count, epochMs } from "../../../platform/http/contract/fields.ts";
import { TraceNode } from "../../audience/segments/schema.ts";
import { PagePatterns } from "../../campaigns/authoring/schema.ts";
import { DELIVERY_STATES } from "../lifecycle/rules.ts";

const id = z.string().max(128);
const at = epochMs.nullable();

/** The name of a gate. */
const gate = <const Name extends string>(name: Name) => z.literal(name).describe("Which condition it is.");

/** What every gate answers. */
const answer = {
  passes: z.boolean().nullable().meta({
    description:
      "Null where the gate is not asked: it says nothing about this user, or an earlier answer decides.",
    example: true,
  }),
  note: z
    .string()
    .max(1_000)
    .meta({ description: "What was found, in a sentence.", example: "The campaign is running." }),
};

/** Why a message cannot reach a user on its channel. The first one in the order of delivery counts. */
export const UNREACHABLE = [
  "too_late",
  "no_text",
  "no_address",
  "invalid_address",
  "suppressed",
  "unconfirmed",
  "trait_missing",
  "campaign_not_ready",
  "no_installation",
  "no_token",
  "no_consent",
  "permission",
  "capability",
  "credential",
] as const;
export type Unreachable = (typeof UNREACHABLE)[number];
const reason = z
  .enum(UNREACHABLE)
  .nullable()
  .describe("Why the user cannot be reached; null where the gate passes or is not asked.");

/** One condition on the way of a campaign to one user, with what it was decided by. */
export const Gate = z
  .discriminatedUnion("gate", [
    z.strictObject({
      gate: gate("status"),
      ...answer,
      status: z
        .enum(["draft", "running", "paused", "ended"])
        .meta({ description: "Stored status; only `running` passes.", example: "running" }),
    }),
    z.strictObject({
      gate: gate("window"),
      ...answer,
      place: z
        .enum(["before", "open", "over"])
        .describe("Where this instant lies: before the delivery window, in it, or after it."),
      deliverFrom: at.describe("When delivery begins; null is at once."),
      deliverUntil: at.describe("When delivery ends; null is never."),
    }),
    z.strictObject({
      gate: gate("serving"),
      ...answer,
      serving: z
        .enum(["ok", "payment_required", "cap_reached"])
        .describe("Whether the organization is served, as `GET /api/v1/usage` says."),
      emailServing: z.enum(["ok", "paused"]).describe("Whether campaign email leaves."),
    }),
    z.strictObject({
      gate: gate("channel"),
      ...answer,
    }),
    z.strictObject({
      gate: gate("user"),
      ...answer,
      known: z
        .boolean()
        .describe("Whether the project has the user. The web makes an unknown user when it delivers."),
      proofRequired: z
        .boolean()
        .describe("Whether a page has to prove the user (`userHash`) to get messages."),
    }),
    z.strictObject({
      gate: gate("page"),
      ...answer,
      path: z
        .string()
        .max(2_048)
        .nullable()
        .describe("The path as it is compared; null where none was given."),
      pages: PagePatterns,
    }),
    z.strictObject({
      gate: gate("delivery"),
      ...answer,
      delivery: z
        .strictObject({
          id: id.describe("Id of the delivery."),
          variantId: answerIds.variant,
          state: z.enum(DELIVERY_STATES).describe("Its latest resolution."),
          queuedAt: epochMs,
          isOpen: z.boolean().describe("Whether more comes of it: it is still to be shown, or to be sent."),
        })
        .nullable()
        .describe("The delivery that the user has already; null for none."),
    }),
    z.strictObject({
      gate: gate("withheld"),
      ...answer,
      withheldAt: at.describe("When the delivery was withheld, epoch milliseconds; null where it was not."),
    }),
    z.strictObject({
      gate: gate("pass"),
      ...answer,
      reason,
      passEndedAt: at.describe(
        "When the campaign, which is sent `once`, had gone through its audience, epoch milliseconds; null while it has not.",
      ),
    }),
    z.strictObject({
      gate: gate("audience"),
      ...answer,
      matched: z.boolean().nullable().describe("Whether the user matches at this instant."),
      trace: TraceNode.nullable().describe(
        "The answer of every node, as in `POST /api/v1/audiences/explain`; null where the campaign is for everyone.",
      ),
    }),
    z.strictObject({
      gate: gate("variant"),
      ...answer,
      variantId: id
        .nullable()
        .describe("The variant that the user has, or would get with the weights of now."),
      variantName: z.string().max(40).nullable().describe("Name of the variant."),
    }),
    z.strictObject({ gate: gate("message"), ...answer, reason }),
    z.strictObject({ gate: gate("address"), ...answer, reason }),
    z.strictObject({
      gate: gate("suppression"),
      ...answer,
      reason,
      suppressedBy: z
        .string()
        .max(40)
        .nullable()
        .describe(
          "`unsubscribed`, `bounced`, `complained` or `manual`; null where the address is not suppressed.",
        ),
      suppressedAt: at.describe("When it was suppressed, epoch milliseconds; null where it is not."),
    }),
    z.strictObject({
      gate: gate("confirmation"),
      ...answer,
      reason,
      givenAt: at.describe("When a publishable key gave the address; null where it is confirmed."),
      perHour: count
        .nullable()
        .describe(
          "How many such addresses of one hour are confirmed by sending (`identity.newAddressesPerHour`).",
        ),
    }),
    z.strictObject({
      gate: gate("device"),
      ...answer,
      reason,
      devices: count.nullable().describe("Devices of the user that have the app."),
      chosen: z
        .array(z.string().max(128))
        .max(10_000)
        .describe("Ids of the installations that the push would go to."),
    }),
    z.strictObject({
      gate: gate("holdout"),
      ...answer,
      goalId: answerIds.goal.nullable(),
      holdoutPercent: z.int().min(0).max(100).describe("How many per cent of the users the goal holds out."),
    }),
    z.strictObject({
      gate: gate("cap"),
      ...answer,
      capMax: count.describe("Mails that one address gets at most within `capHours`; 0 for no cap."),
      capHours: count.describe("Hours that the cap counts back."),
      accepted: count.nullable().describe("Mails that were accepted for the address within that time."),
      inFlight: count.nullable().describe("Mails to the address that are handed over and not answered yet."),
      freeAt: at.describe("When the address is below the cap again, epoch milliseconds; null where it is."),
      overCap: z
        .enum(["skip", "postpone"])
        .describe("What becomes of a mail that is over the cap (`email.overCap`)."),
      postponedUntil: at.describe(
        "When this mail may leave at the earliest, if the campaign still runs then; null where it is not postponed, or the campaign is over before.",
      ),
    }),
  ])
  .meta({ id: "CampaignGate" });
export type Gate = z.infer<typeof Gate>;
export type GateName = Gate["gate"];
