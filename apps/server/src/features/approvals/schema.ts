import { z } from "zod";
import { epochMs, text } from "../../platform/http/contract/fields.ts";
import { AgentAtWork, AgentProposal, NamesById, ProposalReview } from "../agent/evaluations/schema.ts";
import { Channel, EffectiveStatus, StoredMessage } from "../campaigns/authoring/schema.ts";
import { LaunchMode } from "../launch/schema.ts";
import { Restart } from "../statistics/schema.ts";

const id = text(128);
const campaignName = text(80).describe("The campaign's name.");

/** A proposal with the name of the campaign that it is about. */
export const NamedProposal = z
  .object({ campaignName, proposal: AgentProposal.describe("The proposal.") })
  .meta({ id: "NamedProposal" });

/** A draft that announces changes of code. */
export const WaitingCampaign = z
  .object({
    campaignId: id.describe("The campaign that it is about."),
    name: campaignName,
    createdAt: epochMs.describe("When it was made, epoch milliseconds."),
    approvedBy: text(80).nullable().describe("Who allowed it to launch by itself; null until a person does."),
    step: z
      .enum(["approve", "launch"])
      .nullable()
      .describe(
        "What it waits for people to do: allow that it launches by itself, or launch it. Null where it waits for something else.",
      ),
    mode: LaunchMode.describe(
      "Whether it launches by itself once a person allows it: its own mode, or the project's.",
    ),
  })
  .meta({ id: "WaitingCampaign" });

/** Whether a campaign may launch by itself, and what a person decides about. */
export const ActivationApproval = z
  .object({
    revision: text(64).describe(
      "Hash of what users read, who gets it and when, its goal, and what it announces. A decision names it.",
    ),
    approvedBy: text(80).nullable().describe("Who allowed it; null where nobody did."),
    approvedAt: epochMs.nullable().describe("When, epoch milliseconds."),
    approvedRevision: text(64)
      .nullable()
      .describe(
        "The revision that was allowed. Where another one would launch, the setting `launch.approvedContent` says whether the approval stays.",
      ),
  })
  .meta({ id: "ActivationApproval" });

const share = z.number().min(0).max(1);

/** All that a person looks at in order to decide a proposal. */
export const Approval = z
  .object({
    proposal: AgentProposal.describe("The proposal."),
    review: ProposalReview.describe("What people need in order to decide."),
    campaign: z
      .object({
        name: campaignName,
        channel: Channel.describe("Where it appears."),
        effectiveStatus: EffectiveStatus.describe("Its state at this moment, with the delivery window."),
        once: z.boolean().describe("Whether it ends by itself with the users who match as it begins."),
        goalId: id.nullable().describe("Its goal."),
        variants: z
          .array(
            z.object({
              id: id.describe("Id of the variant."),
              name: text(40).describe("The variant's name."),
            }),
          )
          .max(100)
          .describe("Its variants, to read their ids."),
      })
      .describe("The campaign as it is now."),
    messages: z
      .array(
        z.object({
          variantId: id.describe("The variant."),
          isControl: z.boolean().describe("Whether the others were compared with it."),
          share: z
            .object({ before: share, after: share })
            .describe(
              "Which share of users the weights give to it: when this was proposed, and as it would be.",
            ),
          before: StoredMessage.nullable().describe(
            "The message when this was proposed; null for a launch, before which users get nothing.",
          ),
          after: StoredMessage.describe("The message that users would get: the same where the text stays."),
          now: z
            .enum(["before", "after", "neither"])
            .describe(
              "Which of the two the variant has now: `after` where they are the same, `neither` where its text was changed since.",
            ),
        }),
      )
      .max(100)
      .describe(
        "The messages of the variants that it changes, or of all that get users where it changes none by itself; whole, so that they can be drawn.",
      ),
    claims: z
      .array(
        z.object({
          variantId: id.describe("The variant."),
          is: z.enum(["better", "worse"]).describe("Than the control."),
        }),
      )
      .max(100)
      .describe("What a change of weights claims: who takes all users from a variant says that it is worse."),
    isSplitBroken: z
      .boolean()
      .describe(
        "Whether users are split otherwise than the weights say, so that nothing may be claimed. Asked of what claims something, while it can be decided.",
      ),
    restarts: z
      .array(Restart)
      .max(10)
      .describe(
        "Variants whose users, or whose verdict, would count no more, while this can be decided: edited texts are measured anew.",
      ),
    moved: ProposalReview.shape.changes.describe(
      "The fields that were changed since this was proposed: `before` as it was then, `after` as it is now. Whom the campaign is for stands in words.",
    ),
    movedTexts: ProposalReview.shape.texts.describe("The texts among them, word by word."),
    names: NamesById,
    changedBy: z
      .array(z.object({ name: text(80).describe("The person."), at: epochMs }))
      .max(10)
      .describe(
        "Where fields were changed: which people have changed the campaign or its goal since, newest first. Programs are not among them.",
      ),
    atWork: AgentAtWork,
    payload: text(300_000).describe("The canonical JSON (RFC 8785) whose SHA-256 is the payload hash."),
  })
  .meta({ id: "Approval" });
export type Approval = z.input<typeof Approval>;
