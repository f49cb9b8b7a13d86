import { z } from "zod";
import { answerIds, example } from "../../../domain/fields.ts";
import { count, epochMs, instant, text } from "../../../platform/http/contract/fields.ts";
import { StoredStatus } from "../../campaigns/authoring/schema.ts";
import { ChangedStep, MAX_STEPS, ShownStep } from "../../journeys/authoring/steps.pure.ts";
import { AgentRun } from "../../runs/schema.ts";
import { HostedMutation } from "./mutation.pure.ts";

const id = z.string().max(128);
const givenId = text(128);

export const LEASE_SECONDS = { least: 1, most: 3_600, usual: 300 } as const;

/** A campaign that is evaluated: a draft, or one that was launched and has not ended. */
export const DueStatus = z.enum(["draft", "running", "paused"]);

/** Milliseconds since 1970, exactly as a claim answered them. */
const evaluationAt = z
  .int()
  .min(0)
  .describe("The `nextEvaluationAt` that the claim answered, to the millisecond.");

const leaseToken = text(128).describe("The lease that the claim answered.");

export const DueCampaign = z
  .object({
    campaignId: answerIds.campaign,
    name: z.string().max(80).describe("What people call it."),
    goalId: answerIds.goal,
    effectiveStatus: DueStatus.meta({
      description: "Its state at this moment, with the delivery window.",
      example: "running",
    }),
    nextEvaluationAt: epochMs.describe("Since when it is due, epoch milliseconds."),
    decidedContinuation: z
      .boolean()
      .describe("Whether people have decided a proposal of this evaluation: going on costs no run."),
  })
  .meta({ id: "DueEvaluation" });
export type DueCampaign = z.infer<typeof DueCampaign>;

/** A change that was applied, or waits for people, as it was sent. */
const sentMutation = HostedMutation.describe("Exactly as it was sent.");

export const MutateBody = z.object({
  leaseToken,
  evaluationAt,
  mutation: HostedMutation.describe("The change."),
  approvalId: givenId.optional().describe("The approved proposal of exactly this change."),
  runId: givenId
    .optional()
    .describe("The run in which the agent says why; without it a run `mutate` is written."),
});
export type MutateBody = z.infer<typeof MutateBody>;

export const Mutated = z.object({
  campaignId: answerIds.campaign,
  applied: sentMutation,
  status: StoredStatus.describe("The campaign's status now."),
});

export const ProposeBody = z.object({
  campaignId: givenId.describe("The campaign that it is about."),
  evaluationAt,
  mutation: HostedMutation.describe("The change."),
  leaseToken,
  proposedRunId: givenId.optional().describe("The run in which the agent says why."),
});
export type ProposeBody = z.infer<typeof ProposeBody>;

export const ProposalStatus = z.enum(["pending", "approved", "rejected"]);
export type ProposalStatus = z.infer<typeof ProposalStatus>;

/** A change that an agent may apply once people have approved it. */
export const AgentProposal = z
  .object({
    id: id.meta({ description: "Id of the proposal.", example: example.proposal }),
    campaignId: answerIds.campaign,
    evaluationAt: epochMs.describe("The evaluation that it belongs to, epoch milliseconds."),
    payloadHash: z
      .string()
      .length(64)
      .describe("SHA-256 of the canonical JSON (RFC 8785) of campaignId, evaluationAt and mutation."),
    mutation: sentMutation,
    status: ProposalStatus.describe("What people decided. One that waited too long reads rejected."),
    state: z.enum(["pending", "approved", "used", "rejected", "expired"]).meta({
      description: "As `status`, and whether it was used, or can be used no more.",
      example: "pending",
    }),
    createdAt: epochMs,
    expiresAt: epochMs.describe(
      "Until when people may decide it, and once approved, until when it may be applied; epoch milliseconds.",
    ),
    proposedRunId: id.nullable().meta({
      description: "The run in which the agent said why; null where it named none.",
      example: example.run,
    }),
    decidedBy: z.string().max(80).nullable().describe("Who decided it; null where nobody did in time."),
    decidedRunId: id
      .nullable()
      .meta({ description: "The run that records the decision.", example: example.run }),
    decidedAt: epochMs
      .nullable()
      .describe("When it was decided, epoch milliseconds; null while it waits, or where nobody did in time."),
    consumedAt: epochMs.nullable().describe("When it was applied, epoch milliseconds."),
    reason: z.string().max(500).nullable().describe("What the person who decided gave as the reason."),
  })
  .meta({ id: "AgentProposal" });
export type AgentProposal = z.infer<typeof AgentProposal>;

export const Proposed = {
  proposal: AgentProposal.describe("The proposal."),
  awaitingDecision: z.boolean().describe("Whether people still have to decide."),
  leaseHeld: z.boolean().describe("Whether the token that was sent is the campaign's live lease."),
};

/** The most characters of a text that is shown: what a request may carry. */
const MAX_TEXT = 65_536;
export const MAX_CHANGES = 1_000;
const path = z.string().max(400).describe("The field, such as `variants[var_…].weight`.");

/** A value of a campaign's field. */
const fieldValue = z.unknown().meta({
  anyOf: [
    { type: "string", maxLength: MAX_TEXT },
    ...["number", "boolean", "null"].map((type) => ({ type })),
    { type: "object", additionalProperties: true },
    { type: "array", maxItems: MAX_CHANGES },
  ],
});

/** The most characters of a text as it is read. */
export const MAX_READ = 4_000;
const MAX_TEXTS = 20;

const readTexts = z
  .array(
    z.object({
      field: z.string().max(128).describe("The text's place in the message, such as `cta.label`."),
      text: z.string().max(MAX_READ).describe(`What is read there, cut off after ${MAX_READ} characters.`),
    }),
  )
  .max(MAX_TEXTS);

/** What changes name, as it is called now. */
export const NamesById = z
  .record(id, text(80))
  .describe("The names of the goals and segments that the changes name, by their ids.");

const stepId = z.string().max(32);

/** What a person has to see of a journey in order to decide about other steps of it. */
const JourneyReview = z
  .object({
    id: id.meta({ description: "Id of the journey.", example: example.journey }),
    name: z.string().max(80).describe("What people call it."),
    status: StoredStatus.describe("Its state when this was proposed."),
    version: z.int().min(1).describe("Its version when this was proposed."),
    before: z.array(ShownStep).max(MAX_STEPS).describe("Its steps when this was proposed."),
    after: z
      .array(ChangedStep)
      .max(MAX_STEPS)
      .describe("Its steps as they would be, tried when this was proposed."),
    here: z
      .array(
        z.object({
          stepId: stepId.describe("Id of the step."),
          users: count.describe("How many users are there now."),
          to: stepId
            .nullable()
            .describe(
              "Where they would go on, as `moves` says; null where it does not, and their step has to stay.",
            ),
        }),
      )
      .max(MAX_CHANGES)
      .describe("Who is where now: steps at which users are."),
    newHosts: z
      .array(
        z.object({
          stepId: stepId.describe("Id of the step."),
          variant: z.string().max(40).describe("Name of the variant."),
          field: z.string().max(1_200).describe("The link's place in the message, such as `cta.url`."),
          host: z
            .string()
            .max(256)
            .describe("Where it leads: a host, or the scheme of an app such as `acmeapp:`."),
        }),
      )
      .max(MAX_CHANGES)
      .describe(
        "Links of messages that are added to hosts that the journey has not used, and that neither links.allowedHosts has nor this server is.",
      ),
  })
  .meta({ id: "JourneyReview" });

/** What a person has to see in order to decide. */
export const ProposalReview = z
  .object({
    changes: z
      .array(
        z.object({
          path: path.meta({ example: "/name" }),
          before: fieldValue.describe("What it was when this was proposed; null where there was nothing."),
          after: fieldValue.describe("What it would be."),
        }),
      )
      .max(MAX_CHANGES)
      .describe("Every field that differs, before and after."),
    texts: z
      .array(
        z.object({
          path: path.meta({ example: "/message/title" }),
          ops: z
            .array(
              z.object({
                op: z.enum(["keep", "delete", "insert"]).describe("What happens to these words."),
                words: z.string().max(MAX_TEXT).describe("Words with the white space after them."),
              }),
            )
            .max(MAX_TEXT)
            .describe("What happens to which words, in order."),
        }),
      )
      .max(MAX_CHANGES)
      .describe("Texts word by word: what stays, goes and comes."),
    rendered: z
      .array(
        z.object({
          variantId: answerIds.variant,
          before: readTexts
            .nullable()
            .describe(
              "What users read when this was proposed; null for a launch, before which they read nothing.",
            ),
          after: readTexts.describe("What they would read."),
        }),
      )
      .max(20)
      .describe(
        "What users without any traits read of each variant that it changes, or of all that get users where it changes none by itself: without markup, personal fields with what they say instead of a trait. Where the text stays, `before` and `after` are the same.",
      ),
    newHosts: z
      .array(
        z.object({
          variantId: answerIds.variant,
          field: z.string().max(1_200).describe("The link's place in the message, such as `cta.url`."),
          host: z
            .string()
            .max(256)
            .describe("Where it leads: a host, or the scheme of an app such as `acmeapp:`."),
        }),
      )
      .max(MAX_CHANGES)
      .describe(
        "Links to hosts that the campaign has not used, and that neither links.allowedHosts has nor this server is: an agent needs a person's approval for them.",
      ),
    audience: z
      .object({
        summary: z
          .string()
          .max(MAX_TEXT)
          .meta({ description: "For whom the campaign is, in words.", example: "plan is pro" }),
        matched: count.describe(
          "Users whom it is for now; visitors, like the other counts, where it is for visitors alone.",
        ),
        delivered: count.meta({
          description: "Users for whom it has made a delivery, whatever became of it.",
          example: 98,
        }),
        left: count.describe("Users whom it is for now, and for whom it has made no delivery yet."),
        visitors: count.meta({
          description: "Visitors whom it is for now, where it is for visitors (`visitors`); otherwise 0.",
          example: 0,
        }),
      })
      .describe("Whom it is for."),
    evidence: z
      .object({
        runId: id.meta({ description: "The run in which the agent says why.", example: example.run }),
        rationale: z
          .string()
          .max(4_000)
          .nullable()
          .meta({ description: "Why, in words.", example: "Converts better than before." }),
        output: AgentRun.shape.output,
      })
      .nullable()
      .describe("What the agent gave as its reason; null where it named no run."),
    guardrails: z
      .array(
        z.object({
          key: z.string().max(64).describe("The guardrail of the goal."),
          limit: z
            .number()
            .nullable()
            .describe("What it allows; null where it cannot be read. Of phrases and hosts: 0."),
          observed: z
            .number()
            .nullable()
            .describe(
              "What there is now; of phrases, texts that contain one; of hosts, links to others. Null where nothing was counted yet, and for errorBudget.",
            ),
        }),
      )
      .max(20)
      .meta({
        description: "The limits of the goal, and how near the campaign is to them now.",
        example: [{ key: "minControlShare", limit: 0.2, observed: 0.5 }],
      }),
    journey: JourneyReview.nullable().describe(
      "The journey, where its steps would change; null for every other change.",
    ),
    isStale: z.boolean().describe("Whether a field that it depends on was changed since it was proposed."),
  })
  .meta({ id: "ProposalReview" });
export type ProposalReview = z.infer<typeof ProposalReview>;

export const ClaimBody = z.object({
  leaseSeconds: z
    .int()
    .min(LEASE_SECONDS.least)
    .max(LEASE_SECONDS.most)
    .default(LEASE_SECONDS.usual)
    .describe("After so many seconds another one may claim it."),
});

export const CompleteBody = z.object({
  leaseToken,
  nextEvaluationAt: instant.nullable().describe("When to look again; null: not again."),
});

/** What looks after the campaigns of a project, and what no agent has taken up. */
export const AgentAtWork = z
  .object({
    by: z
      .enum(["process", "program", "nobody"])
      .describe(
        "`process`: one of this server has the role agent. `program`: one of people took up an evaluation last, and left none lying.",
      ),
    isPaused: z.boolean().describe("Whether people have stopped all agents of the project."),
    hasPolicy: z.boolean().describe("Whether Tidings looks after campaigns, or only programs of people do."),
    programAt: epochMs
      .nullable()
      .describe("When a program of people last took up an evaluation, epoch milliseconds; null: never."),
    overdue: z
      .object({
        campaignId: text(128).describe("The campaign that it is about."),
        campaignName: text(80).describe("Its name."),
        since: epochMs.describe("Since when, in epoch milliseconds."),
        isApproved: z.boolean().describe("Whether it is a change that people have approved."),
        count: count.describe("How many campaigns wait, this one among them."),
      })
      .nullable()
      .describe("What an agent could have taken up for ten minutes or longer; null where there is nothing."),
  })
  .meta({ id: "AgentAtWork" });
export type AgentAtWork = z.infer<typeof AgentAtWork>;
