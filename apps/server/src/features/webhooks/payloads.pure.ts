import { z } from "zod";
import { count, epochMs, text } from "../../platform/http/contract/fields.ts";
import { SUBSCRIBABLE, TEST_TYPE, WEBHOOK_TYPES, type WebhookType } from "./types.pure.ts";

/** The longest rationale, name or text that another room lets people or agents write. */
const LONG = 16_384;

const campaign = z
  .object({
    id: text(64).describe("`cmp_…`."),
    name: text(LONG, 0).describe("What it is called when the message leaves."),
    channel: z.enum(["web_inapp", "email", "push"]).describe("How its messages go."),
  })
  .nullable()
  .describe("The campaign that it is about; null where it is about none.");

const userId = text(256)
  .nullable()
  .describe("The user's id in your product; null where the user was erased meanwhile.");

const by = z
  .string()
  .max(32)
  .nullable()
  .describe("What changed it: `human`, `api`, `agent`, `guardrail`, `itself`; null where it is not known.");

const status = z.enum(["draft", "running", "paused", "ended"]).describe("What it was from then on.");

/** What messages say of a delivery. */
export const DeliveryNews = z
  .object({
    deliveryId: text(64)
      .nullable()
      .describe("`del_…`, as the feed and the lists have it; null where the user was erased meanwhile."),
    userId: userId.describe(
      "The user's id in your product; null for a visitor who is not signed in, and where the user was erased meanwhile.",
    ),
    visitor: z
      .object({ id: text(64).describe("`eu_…`. The id of their browser, which is a secret, is not said.") })
      .optional()
      .describe(
        "The visitor who got it; not there for a user, as whom a visitor counts once they signed in.",
      ),
    campaign,
    variant: z
      .object({
        id: text(64).describe("`var_…`."),
        name: text(LONG, 0).nullable().describe("What it is called when the message leaves."),
      })
      .nullable()
      .describe("The variant that the user got."),
    occasion: count.describe("0, or how often the user had got the campaign before."),
  })
  .meta({ id: "DeliveryNews" });

/** What messages say of a mail address. */
export const AddressNews = z
  .object({
    address: text(320, 0)
      .nullable()
      .describe("The address; null where its user was erased meanwhile, or where it is not known."),
    reason: z
      .enum(["unsubscribed", "bounced", "complained", "manual"])
      .nullable()
      .describe("Why it gets no mail, or got none until then."),
  })
  .meta({ id: "AddressNews" });

/** What messages say of a user. */
export const UserNews = z
  .object({
    userId,
    user: z
      .object({
        id: text(64).describe("`eu_…`."),
        externalUserId: text(256).describe("The user's id in your product."),
        traits: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe("All that is known of the user when the message leaves; null where that is too long."),
        firstSeenAt: epochMs.describe("When the user was seen first."),
        lastSeenAt: epochMs.describe("When the user was seen last."),
      })
      .nullable()
      .describe("The user; null where the user was erased meanwhile."),
  })
  .meta({ id: "UserNews" });

/** What a message says of a visitor who became a user. */
export const MergeNews = z
  .object({
    user: z
      .object({
        id: text(64).describe("`eu_…`."),
        externalUserId: text(256).describe("The user's id in your product."),
      })
      .nullable()
      .describe("The user; null where the user was erased meanwhile."),
    visitor: z
      .object({ id: text(64).describe("The `eu_…` id that the visitor had.") })
      .nullable()
      .describe("The visitor; null where the user was erased meanwhile."),
  })
  .meta({ id: "MergeNews" });

/** What a message says of a user who was erased. */
export const ErasureNews = z
  .object({
    userId: text(256)
      .nullable()
      .describe(
        "The id in your product of the user to forget. Null in a message that is sent once more after it was delivered.",
      ),
  })
  .meta({ id: "ErasureNews" });

/** What messages say of the status of a campaign. */
export const StatusNews = z.object({ campaign, status, by }).meta({ id: "StatusNews" });

/** What messages say of a change of a campaign. */
export const ChangeNews = z
  .object({
    campaign,
    status,
    by,
    fields: z.array(text(64)).max(64).describe("The fields that the change set."),
  })
  .meta({ id: "ChangeNews" });

/** What a message says of a campaign that a limit has paused. */
export const BreachNews = z
  .object({
    campaign,
    guardrail: text(64).describe("The limit of its goal, such as `maxUnsubscribeRate`."),
    limit: z.number().describe("What the limit is."),
    observed: z.number().describe("What was counted."),
    runId: text(64).describe("`run_…`: what was written down of it."),
    text: text(LONG, 0).describe("The same as a sentence."),
  })
  .meta({ id: "BreachNews" });

/** What messages say of a proposal. */
export const ProposalNews = z
  .object({
    campaign,
    proposalId: text(64).describe("`prop_…`."),
    status: z.enum(["pending", "approved", "rejected"]).describe("What was decided, if anything was."),
    expiresAt: epochMs.describe("Until then it can be decided, or applied once it is approved."),
    reason: text(LONG, 0).nullable().describe("Why a person decided so."),
    mutation: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The change, as the agent has proposed it; null where that is too long."),
  })
  .meta({ id: "ProposalNews" });

/** What a message says of a run. */
export const RunNews = z
  .object({
    campaign,
    runId: text(64).describe("`run_…`."),
    kind: text(LONG).describe("What was done."),
    writtenBy: z.enum(["tidings", "api", "agent", "import"]).describe("What wrote it down."),
    rationale: text(LONG, 0).nullable().describe("Why."),
  })
  .meta({ id: "RunNews" });

/** What a message says of a file that was brought in, or could not be. */
export const ImportNews = z
  .object({
    importId: text(64).describe("`imp_…`."),
    kind: z.enum(["users", "events", "suppressions"]).describe("What its lines are about."),
    name: text(200).describe("What the file is called."),
    state: z.enum(["done", "failed"]).describe("failed: `fault` says why."),
    lines: count.describe("Lines that were read."),
    written: count.describe("Lines that changed something."),
    known: count.describe("Lines that were known already."),
    refused: count.describe("Lines that were not taken."),
    fault: text(LONG, 0).nullable().describe("Why it could not be read on."),
  })
  .meta({ id: "ImportNews" });

/** What a message says of a sync that could not write its files. */
export const SyncNews = z
  .object({
    syncId: text(64).describe("`sync_…`."),
    fault: text(LONG, 0).describe("Why the last attempt failed. It is tried again by itself."),
  })
  .meta({ id: "SyncNews" });

/** What a message says that is only there to be seen. */
export const TestNews = z
  .object({ text: text(LONG).describe("That a person requested it.") })
  .meta({ id: "TestNews" });

/** What messages of each topic say; of a type, where it says something else than the others of its topic. */
const NEWS = {
  delivery: DeliveryNews,
  address: AddressNews,
  user: UserNews,
  "user.merged": MergeNews,
  "user.erased": ErasureNews,
  campaign: StatusNews,
  "campaign.changed": ChangeNews,
  guardrail: BreachNews,
  proposal: ProposalNews,
  run: RunNews,
  import: ImportNews,
  sync: SyncNews,
  test: TestNews,
} as const satisfies Readonly<Record<string, z.ZodObject>>;

const topicOf = (type: string): string => type.split(".")[0] ?? "";
const newsOf = (type: string): z.ZodObject => {
  const known: Readonly<Record<string, z.ZodObject>> = NEWS;
  const found = known[type] ?? known[topicOf(type)];
  if (found === undefined) throw new Error(`Nothing says what a message of type ${type} says.`);
  return found;
};

/** The body of a message of a type. What makes it longer than 16 KiB is not in it, and named. */
const bodySchema = (type: string) =>
  z.object({
    type: z.literal(type).describe("What happened."),
    timestamp: z.iso.datetime().describe("When it happened, as ISO 8601."),
    gapBefore: z
      .literal(true)
      .optional()
      .describe(
        "An earlier message about the same thing was given up: this one does not follow the one before it.",
      ),
    leftOut: z
      .array(text(64))
      .max(16)
      .optional()
      .describe(
        "Fields within `data` that are null because the message would be longer than 16 KiB with them.",
      ),
    data: newsOf(type).describe("What the message says."),
  });

/** The messages that webhooks get: their types, what each means, and the shape of its body. */
export const OUTGOING = [...SUBSCRIBABLE, TEST_TYPE].map((type) => ({
  type,
  summary:
    type === TEST_TYPE ? "A person wants to see a message arrive." : WEBHOOK_TYPES[type as WebhookType],
  body: bodySchema(type),
}));
