import { z } from "zod";
import { Platform } from "../../domain/fields.ts";
import { epochMs, storedAs } from "../../platform/http/contract/fields.ts";
import { NamesById, ProposalReview } from "../agent/evaluations/schema.ts";
import { MAX_DIAGNOSTICS } from "../audience/language/parse/diagnostics.pure.ts";
import { Diagnostic } from "../audience/language/schema.ts";
import { WebMessage } from "../campaigns/authoring/message/message.pure.ts";
import { PushContent } from "../content/push/message.pure.ts";
import { reachRemarks } from "../setup/schema.ts";
import { Restart } from "../statistics/schema.ts";

/** More than mail of Tidings is long; what is cut off is said so in the text. */
const MAX_HTML = 2_100_000;
const MAX_TEXT = 210_000;

const remarks = {
  remarks: z
    .array(Diagnostic)
    .max(2 * MAX_DIAGNOSTICS + 2)
    .describe(
      "Why this user would get nothing, or could not yet; what the user has no value for; slips of the pen.",
    ),
};

const WebPreview = z.object({
  channel: z.literal("web_inapp").describe("Where it appears."),
  content: storedAs(WebMessage)
    .nullable()
    .describe("What a page is given to draw; null where no text is left."),
  ...remarks,
});

const EmailPreview = z.object({
  channel: z.literal("email").describe("Where it appears."),
  from: z.string().max(4_100).nullable(),
  to: z.string().max(4_100).nullable(),
  subject: z.string().max(4_100).nullable().describe("Its subject."),
  headers: z
    .array(
      z.object({
        name: z.string().max(1_000).describe("Name of the header."),
        value: z.string().max(4_100).describe("Text of the header."),
      }),
    )
    .max(100),
  html: z.string().max(MAX_HTML).nullable(),
  text: z.string().max(MAX_TEXT).nullable(),
  sample: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      "Of a template: `data`, with a sample for each value that the text names and `data` lacks; null for campaigns.",
    ),
  ...remarks,
});

const Payload = z.object({
  platform: Platform.describe("What the device runs."),
  payload: z
    .string()
    .max(8_192)
    .nullable()
    .describe("The JSON that the provider is given; null where it is too large."),
});

const PushPreview = z.object({
  channel: z.literal("push").describe("Where it appears."),
  content: storedAs(PushContent)
    .nullable()
    .describe("The push as a device gets it; null where this user would get none."),
  payloads: z.array(Payload).max(Platform.options.length),
  ...remarks,
});

/** A message as one user would get it. */
export const Preview = z.union([WebPreview, EmailPreview, PushPreview]).meta({ id: "Preview" });
export type Preview = z.infer<typeof Preview>;

/** Why a launch would be refused. */
const LaunchRefused = z.object({
  reason: z
    .string()
    .max(64)
    .nullable()
    .describe("What a program switches on; null where there is only the message."),
  message: z.string().max(2_000).describe("Why not, for people."),
});
export type LaunchRefused = z.infer<typeof LaunchRefused>;

/** What a change or a launch of a campaign would do. */
export const CampaignReview = z
  .object({
    changes: ProposalReview.shape.changes,
    texts: ProposalReview.shape.texts,
    names: NamesById,
    audience: ProposalReview.shape.audience.describe("Whom it is for after the change."),
    guardrails: ProposalReview.shape.guardrails,
    refusal: LaunchRefused.nullable().describe(
      "Why a launch would be refused; null where none was asked about, or nothing refuses it.",
    ),
    lapsing: z
      .array(
        z.object({
          proposalId: z.string().max(128),
          isApproved: z
            .boolean()
            .describe("Whether people approved it, and the agent has not applied it yet."),
        }),
      )
      .max(100)
      .describe(
        "What agents proposed and the change would make stale: it could not be approved, or applied, any more.",
      ),
    restarts: z
      .array(Restart)
      .max(10)
      .describe(
        "Variants whose users, or whose verdict, would count no more: edited texts are measured anew.",
      ),
    reach: reachRemarks.describe(
      "Why nobody can get it yet, by what the whole project lacks, or for a push its app.",
    ),
    at: epochMs.describe("The instant of the counts."),
  })
  .meta({ id: "CampaignReview" });
export type CampaignReview = z.infer<typeof CampaignReview>;
