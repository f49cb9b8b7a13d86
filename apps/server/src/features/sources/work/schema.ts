import { z } from "zod";
import { answerIds, commitSha, example } from "../../../domain/fields.ts";
import { count, epochMs, text } from "../../../platform/http/contract/fields.ts";
import { AudienceInput } from "../../audience/language/schema.ts";
import { VISITORS_MET } from "../../campaigns/authoring/rules.ts";
import { CampaignDetail } from "../../campaigns/authoring/schema.ts";
import { EDIT_FIELDS } from "./edits.pure.ts";

const id = z.string().max(128);
const sha = z.string().length(40);
const shas = z.array(commitSha).min(1).max(500);

/** The id of a ref, as `due` lists it. */
const ref = { description: "The branch or pull request, by its id in Tidings.", example: example.ref };
export const refInPath = text(128).meta(ref);
const refId = id.meta(ref);

export const EditField = z.enum(EDIT_FIELDS);

/** Work that waits in a ref of a source. */
export const DueRef = z
  .strictObject({
    refId,
    sourceId: z.string().max(128).meta({
      description:
        "The source, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
      example: "web",
    }),
    repository: z.string().max(2_048).meta({
      description: "The address of the repository, without credentials.",
      example: "https://git.example.com/acme/web.git",
    }),
    branch: z
      .string()
      .max(255)
      .meta({ description: "The branch from which changes are deployed.", example: "main" }),
    refKey: z
      .string()
      .max(40)
      .meta({ description: "`branch`, or `pr:` with the number of a pull request.", example: "branch" }),
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
      .optional()
      .describe("What people call it."),
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
            .max(20)
            .describe("Texts that change."),
        }),
      )
      .min(1)
      .max(10)
      .optional()
      .describe("The variants."),
  })
  .meta({ id: "SourcePatch" });
export type SourcePatch = z.infer<typeof SourcePatch>;

const Contribution = z.strictObject({
  id: id.describe("Id of the contribution."),
  ordinal: count.describe("Its place among what commits brought to the campaign."),
  withdrawn: z.boolean().describe("Whether a source took it back."),
  edits: z
    .array(
      z.strictObject({
        variantId: answerIds.variant,
        field: EditField.describe("The text that changed."),
        before: z
          .string()
          .max(16_384)
          .nullable()
          .describe("Null where the text was written with the campaign."),
        after: z.string().max(50_000).nullable().describe("The text that took its place."),
      }),
    )
    .max(200)
    .describe("Texts that change."),
});

/** What is granted with a lease. */
export const SourceClaim = z
  .strictObject({
    refId,
    sourceId: z.string().max(128).meta({
      description:
        "The source, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
      example: "web",
    }),
    sourceGeneration: count.describe("Rises with the address, the branch and the credential of the source."),
    instructions: z.string().max(8_000).describe("What people want an agent to mind."),
    leaseToken: z.string().max(256).meta({
      description: "What `reconcile` wants to see.",
      example: "lease_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
    }),
    expiresAt: epochMs,
    fromSha: sha.meta({
      description: "The commit up to which all was drafted before.",
      example: example.commit,
    }),
    toSha: sha.meta({ description: "The last commit of this work.", example: example.commit }),
    complete: z.literal(true).describe("Always true."),
    comparison: z
      .strictObject({
        beforeSha: sha.meta({
          description: "Where both histories parted: not `fromSha` where the ref was rewritten.",
          example: example.commit,
        }),
        afterSha: sha.meta({ description: "The last commit of this work.", example: example.commit }),
      })
      .describe("What `files` compares."),
    repositoryContext: z
      .strictObject({
        description: z
          .string()
          .max(2_000)
          .nullable()
          .meta({ description: "What its host says of it; null where there is nothing.", example: null }),
        readme: z.string().max(32_000).nullable().meta({
          description: "The text of its readme; null where there is none.",
          example: "Acme for the web",
        }),
        commitSha: sha.meta({ description: "The commit at which it was read.", example: example.commit }),
      })
      .describe("What the repository is about."),
    files: z
      .array(
        z.strictObject({
          path: z.string().max(4_096).meta({
            description: "Path of the file in the repository.",
            example: "src/dark-mode.ts",
          }),
          patch: z
            .string()
            .max(2_200_000)
            .nullable()
            .describe("Null for what is no text, larger than 256 KB, or beyond 2 MB together."),
        }),
      )
      .max(300)
      .describe("What changed, by path."),
    changes: z
      .array(
        z.strictObject({
          sha: sha.meta({ description: "The commit: 40 hexadecimal digits.", example: example.commit }),
          message: z.string().max(8_000).describe("The message of the commit."),
          pullRequests: z
            .array(
              z.strictObject({
                number: count.describe("Its number at the host of the repository."),
                mergedHeadSha: sha.nullable().meta({
                  description:
                    "The last commit of the pull request when it was merged; null where it was not.",
                  example: null,
                }),
              }),
            )
            .max(20)
            .describe("The pull requests that it came with."),
          sourceCampaignIds: z
            .array(id)
            .max(100)
            .meta({ description: "Campaigns that announce it already.", example: [] }),
        }),
      )
      .max(500)
      .describe("The commits that a plan has to draft or skip, parents before children."),
    withdrawals: z
      .array(
        z.strictObject({
          campaignId: answerIds.campaign,
          contributions: z
            .array(Contribution)
            .max(500)
            .describe("What commits brought to the campaign, in the order in which it was written."),
          patch: SourcePatch.describe("Takes back what was written, where it still stands."),
        }),
      )
      .max(100)
      .describe("Drafts of which a commit was taken back."),
    drafts: z
      .array(
        z.strictObject({
          campaignId: answerIds.campaign,
          origin: z.enum(["source", "customer"]).describe("Who made it."),
          contentHash: z
            .string()
            .length(64)
            .meta({ description: "What a plan names as its `baseContentHash`.", example: example.hash }),
          customerEditedFields: z
            .array(z.string().max(200))
            .max(200)
            .describe("`name`, and texts as `variantId.field`, that are not as commits have left them."),
          review: z
            .enum(["pending", "approved"])
            .describe("Whether a person allowed it to launch by itself."),
          campaign: CampaignDetail.describe("The campaign."),
        }),
      )
      .max(100)
      .describe("The newest campaigns that were never launched."),
  })
  .meta({ id: "SourceClaim" });
export type SourceClaim = z.infer<typeof SourceClaim>;

export const SourceClaimResult = z.union([
  z.strictObject({
    ok: z.literal(true).describe("Whether it was taken."),
    state: z.literal("claimed").describe("A lease: there is work to do."),
    claim: SourceClaim.describe("What is to be done, and the lease on it."),
  }),
  z.strictObject({
    ok: z.literal(true).describe("Whether it was taken."),
    state: z.literal("settled").describe("There was nothing to write."),
    refId,
  }),
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
  title: text(16_384, 0).optional().describe("The headline."),
  body: text(16_384, 0).optional().describe("The text."),
  subject: text(16_384, 0).optional().describe("The subject; may have personal fields."),
  previewText: text(16_384, 0).optional().describe("What a mailbox shows beside the subject."),
  presentation: text(30).optional().describe("A small card in a corner, or a window in the middle."),
  cta: z
    .strictObject({
      label: longText.describe("Text of the button."),
      url: longText.optional().describe("Where it leads."),
    })
    .optional()
    .describe("The button."),
  media: z
    .strictObject({
      url: longText.describe("Address that the upload of campaign media answered."),
      alt: longText.optional().describe("What the image shows, for who cannot see it."),
      decorative: z.boolean().optional().describe("Whether the image says nothing that the text does not."),
    })
    .optional()
    .describe("An image."),
});

const PlannedCampaign = z
  .strictObject({
    name: text(80).describe("Its name."),
    channel: z.enum(["web_inapp", "email"]).describe("Where it appears."),
    message: PlannedMessage.optional().describe("What it says: one variant, named A."),
    variants: z
      .array(
        z.strictObject({
          name: longText.optional().describe("Its name, unique in the campaign; A, B, C by itself."),
          message: PlannedMessage.describe("What it says, in the shape of the campaign's channel."),
          weight: z
            .int()
            .min(0)
            .max(100)
            .optional()
            .describe("Its share of users, among the weights of all; 0 retires it."),
          isControl: z
            .boolean()
            .optional()
            .describe("Whether the others are compared with it; one variant of a campaign is."),
        }),
      )
      .min(1)
      .max(10)
      .optional()
      .describe("The variants."),
    audience: AudienceInput.optional().describe("Who it is for."),
    visitors: z
      .enum(VISITORS_MET)
      .optional()
      .describe(
        "Whether a web campaign is for visitors who are not signed in: `none`, unless it says so, `also`, or `only` for them.",
      ),
    pages: z
      .array(text(1_024))
      .max(100)
      .nullable()
      .optional()
      .describe("Paths of the pages that it appears on, with `*` for any characters; null is everywhere."),
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
    z.strictObject({
      op: z.literal("create").describe("Makes a draft."),
      shas: shas.describe("The commits of the pull request, oldest first."),
      campaign: PlannedCampaign.describe("The campaign."),
    }),
    z.strictObject({
      op: z.literal("revise").describe("Changes a draft."),
      shas: shas.describe("The commits of the pull request, oldest first."),
      campaignId: campaignId.describe("The campaign that it is about."),
      baseContentHash,
      patch: SourcePatch.describe("Changes of the campaign's texts."),
    }),
    z.strictObject({
      op: z.literal("withdraw").describe("Takes back what commits brought to a campaign."),
      campaignId: campaignId.describe("The campaign that it is about."),
      baseContentHash,
      patch: SourcePatch.describe("Changes of the campaign's texts."),
    }),
    z.strictObject({
      op: z.literal("skip").describe("Announces nothing."),
      shas: shas.describe("The commits of the pull request, oldest first."),
      reason: text(2_000).describe("Why, for people who read it later."),
    }),
  ],
  "must be one of create, revise, withdraw, skip",
);
export type PlanOp = z.infer<typeof PlanOp>;

export const ReconcileBody = z.strictObject({
  leaseToken: text(256).describe("The lease that the claim answered."),
  sourceGeneration: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .describe("The `sourceGeneration` of the claim."),
  fromSha: commitSha.nullable().describe("The commit up to which all was drafted before."),
  toSha: commitSha.describe("The last commit of this work."),
  rationale: text(4_000).describe("Why, for people: it stands in the run."),
  ops: z.array(PlanOp).min(1).max(50).describe("What becomes of each commit and each withdrawal."),
});
export type ReconcileBody = z.infer<typeof ReconcileBody>;

/** What finished source work came to. */
export const Reconciled = z
  .strictObject({
    ok: z.literal(true).describe("Whether it was taken."),
    campaigns: z
      .array(
        z.strictObject({
          campaignId: answerIds.campaign,
          created: z.boolean().describe("Whether this plan made it."),
        }),
      )
      .max(50)
      .describe("The campaigns."),
    reconciledSha: sha.meta({
      description: "The commit up to which all is drafted now.",
      example: example.commit,
    }),
    replayed: z.boolean().describe("Whether the same plan had finished this work before."),
  })
  .meta({ id: "Reconciled" });
export type Reconciled = z.infer<typeof Reconciled>;
