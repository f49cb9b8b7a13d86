import { z } from "zod";
import { commitSha } from "../../../domain/fields.ts";
import { count, epochMs, text } from "../../../platform/http/contract/fields.ts";
import { AudienceInput } from "../../audience/language/schema.ts";
import { CampaignDetail } from "../../campaigns/authoring/schema.ts";
import { EDIT_FIELDS } from "./edits.pure.ts";

const id = z.string().max(128);
const sha = z.string().length(40);
const shas = z.array(commitSha).min(1).max(500);

/** The id of a ref, as `due` lists it. */
export const refId = text(128);

export const EditField = z.enum(EDIT_FIELDS);

/** Work that waits in a ref of a source. */
export const DueRef = z
  .strictObject({
    refId: id,
    sourceId: z.string().max(128),
    repository: z.string().max(2_048).describe("The address of the repository, without credentials."),
    branch: z.string().max(255),
    refKey: z.string().max(40).describe("`branch`, or `pr:` with the number of a pull request."),
  })
  .meta({ id: "DueRef" });

/** Changes of a campaign's texts. */
export const SourcePatch = z
  .strictObject({
    name: z
      .strictObject({
        before: text(80).describe("The whole name as it is."),
        after: text(80).describe("The name that takes its place."),
      })
      .optional(),
    variants: z
      .array(
        z.strictObject({
          id: text(128).describe("A variant of the campaign."),
          edits: z
            .array(
              z.strictObject({
                field: EditField.describe("The text that changes."),
                before: text(16_384).describe("A part of the text that stands in it exactly once."),
                after: text(16_384, 0).describe("What takes its place."),
              }),
            )
            .min(1)
            .max(20),
        }),
      )
      .min(1)
      .max(10)
      .optional(),
  })
  .meta({ id: "SourcePatch" });
export type SourcePatch = z.infer<typeof SourcePatch>;

const Contribution = z.strictObject({
  id,
  ordinal: count.describe("Its place among what commits brought to the campaign."),
  withdrawn: z.boolean().describe("Whether a source took it back."),
  edits: z
    .array(
      z.strictObject({
        variantId: id,
        field: EditField,
        before: z
          .string()
          .max(16_384)
          .nullable()
          .describe("Null where the text was written with the campaign."),
        after: z.string().max(50_000).nullable(),
      }),
    )
    .max(200),
});

/** What is granted with a lease. */
export const SourceClaim = z
  .strictObject({
    refId: id,
    sourceId: z.string().max(128),
    sourceGeneration: count.describe("Rises with the address, the branch and the credential of the source."),
    instructions: z.string().max(8_000).describe("What people want an agent to mind."),
    leaseToken: z.string().max(256).describe("What `reconcile` wants to see."),
    expiresAt: epochMs,
    fromSha: sha.describe("The commit up to which all was drafted before."),
    toSha: sha.describe("The last commit of this work."),
    complete: z.literal(true).describe("Always true."),
    comparison: z
      .strictObject({
        beforeSha: sha.describe("Where both histories parted: not `fromSha` where the ref was rewritten."),
        afterSha: sha,
      })
      .describe("What `files` compares."),
    repositoryContext: z.strictObject({
      description: z.string().max(2_000).nullable(),
      readme: z.string().max(32_000).nullable(),
      commitSha: sha,
    }),
    files: z
      .array(
        z.strictObject({
          path: z.string().max(4_096),
          patch: z
            .string()
            .max(2_200_000)
            .nullable()
            .describe("Null for what is no text, larger than 256 KB, or beyond 2 MB together."),
        }),
      )
      .max(300),
    changes: z
      .array(
        z.strictObject({
          sha,
          message: z.string().max(8_000),
          pullRequests: z.array(z.strictObject({ number: count, mergedHeadSha: sha.nullable() })).max(20),
          sourceCampaignIds: z.array(id).max(100).describe("Campaigns that announce it already."),
        }),
      )
      .max(500)
      .describe("The commits that a plan has to draft or skip, parents before children."),
    withdrawals: z
      .array(
        z.strictObject({
          campaignId: id,
          contributions: z.array(Contribution).max(500),
          patch: SourcePatch.describe("Takes back what was written, where it still stands."),
        }),
      )
      .max(100)
      .describe("Drafts of which a commit was taken back."),
    drafts: z
      .array(
        z.strictObject({
          campaignId: id,
          origin: z.enum(["source", "customer"]).describe("Who made it."),
          contentHash: z.string().length(64).describe("What a plan names as its `baseContentHash`."),
          customerEditedFields: z
            .array(z.string().max(200))
            .max(200)
            .describe("`name`, and texts as `variantId.field`, that are not as commits have left them."),
          review: z
            .enum(["pending", "approved"])
            .describe("Whether a person allowed it to launch by itself."),
          campaign: CampaignDetail,
        }),
      )
      .max(100)
      .describe("The newest campaigns that were never launched."),
  })
  .meta({ id: "SourceClaim" });
export type SourceClaim = z.infer<typeof SourceClaim>;

export const SourceClaimResult = z.union([
  z.strictObject({ ok: z.literal(true), state: z.literal("claimed"), claim: SourceClaim }),
  z.strictObject({ ok: z.literal(true), state: z.literal("settled"), refId: id }),
]);

export const LEASE_SECONDS = { least: 30, most: 900, usual: 600 } as const;

export const ClaimRefBody = z.strictObject({
  leaseSeconds: z
    .int()
    .min(LEASE_SECONDS.least)
    .max(LEASE_SECONDS.most)
    .default(LEASE_SECONDS.usual)
    .describe("For how long the work is the caller's; it cannot be extended."),
});

const longText = text(16_384);

/** A message as a plan writes it: what of it its channel takes, the channel's rules say. */
const PlannedMessage = z.strictObject({
  title: text(16_384, 0).optional(),
  body: text(16_384, 0).optional(),
  subject: text(16_384, 0).optional(),
  previewText: text(16_384, 0).optional(),
  presentation: text(30).optional(),
  cta: z.strictObject({ label: longText, url: longText.optional() }).optional(),
  media: z
    .strictObject({ url: longText, alt: longText.optional(), decorative: z.boolean().optional() })
    .optional(),
});

const PlannedCampaign = z
  .strictObject({
    name: text(80),
    channel: z.enum(["web_inapp", "email"]),
    message: PlannedMessage.optional(),
    variants: z
      .array(
        z.strictObject({
          name: longText.optional(),
          message: PlannedMessage,
          weight: z.int().min(0).max(100).optional(),
          isControl: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(10)
      .optional(),
    audience: AudienceInput.optional(),
    pages: z.array(text(1_024)).max(100).nullable().optional(),
  })
  .refine(
    ({ message, variants }) => (message === undefined) !== (variants === undefined),
    "must have exactly one of message and variants",
  );
export type PlannedCampaign = z.infer<typeof PlannedCampaign>;

const baseContentHash = text(64, 64).describe("The `contentHash` of the draft in the claim.");
const campaignId = text(128);

export const PlanOp = z.discriminatedUnion(
  "op",
  [
    z.strictObject({ op: z.literal("create"), shas, campaign: PlannedCampaign }),
    z.strictObject({ op: z.literal("revise"), shas, campaignId, baseContentHash, patch: SourcePatch }),
    z.strictObject({ op: z.literal("withdraw"), campaignId, baseContentHash, patch: SourcePatch }),
    z.strictObject({ op: z.literal("skip"), shas, reason: text(2_000) }),
  ],
  "must be one of create, revise, withdraw, skip",
);
export type PlanOp = z.infer<typeof PlanOp>;

export const ReconcileBody = z.strictObject({
  leaseToken: text(256),
  sourceGeneration: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  fromSha: commitSha.nullable(),
  toSha: commitSha,
  rationale: text(4_000).describe("Why, for people: it stands in the run."),
  ops: z.array(PlanOp).min(1).max(50),
});
export type ReconcileBody = z.infer<typeof ReconcileBody>;

/** What finished source work came to. */
export const Reconciled = z
  .strictObject({
    ok: z.literal(true),
    campaigns: z.array(z.strictObject({ campaignId: id, created: z.boolean() })).max(50),
    reconciledSha: sha,
    replayed: z.boolean().describe("Whether the same plan had finished this work before."),
  })
  .meta({ id: "Reconciled" });
export type Reconciled = z.infer<typeof Reconciled>;
