import { z } from "zod";
import { count, epochMs, text } from "../../platform/http/contract/fields.ts";
import { AgentAtWork } from "../agent/evaluations/schema.ts";

/** How many things of one kind are named; the count says how many there are. */
export const MOST_NAMED = 5;
/** How far things of one kind are counted. */
export const MOST_COUNTED = 1_000;

const campaign = {
  campaignId: text(128).describe("The campaign that it is about."),
  campaignName: text(256).describe("Its name."),
};

const ofKind = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({
    count: count.describe(`How many there are, counted up to ${MOST_COUNTED}.`),
    items: z.array(z.object(fields)).max(MOST_NAMED).describe(`The first ${MOST_NAMED} of them.`),
  });

/** What waits for people in a project, by kind, all of it at one instant but for the splits, which are counted once a minute. */
export const Waiting = z
  .object({
    evaluatedAt: epochMs.describe("The instant, in epoch milliseconds."),
    serving: z
      .enum(["ok", "payment_required", "cap_reached"])
      .describe("Unless it is ok, no message is served on any channel."),
    emailServing: z.enum(["ok", "paused"]).describe("Paused: planned email waits."),
    faults: ofKind({
      ...campaign,
      fault: text(2_048).describe("Why nothing leaves, or nobody new is found."),
      since: epochMs.describe("Since when, in epoch milliseconds."),
    }).describe("Running campaigns of which nothing leaves."),
    breaches: ofKind({
      ...campaign,
      guardrail: text(128).describe("The limit that it went beyond."),
      limit: z.number().describe("What it allowed."),
      observed: z.number().describe("What there was."),
      breachedAt: epochMs.describe("When, in epoch milliseconds."),
    }).describe("Campaigns that a guardrail has paused: until they are cleared, or end."),
    takenBack: ofKind({
      ...campaign,
      reason: z
        .enum(["rollback", "revert"])
        .describe("`rollback`: a deployment without the change. `revert`: a commit that takes it back."),
      mappingLabel: text(400).describe("Where it is not live any more."),
      since: epochMs.describe("When that was seen, in epoch milliseconds."),
    }).describe(
      "Running campaigns of which an announced change was taken back: until it is live again, they are paused, or end.",
    ),
    splits: ofKind(campaign).describe("Running campaigns whose users are not split as the weights say."),
    sources: ofKind({
      id: text(128).describe("The source."),
      reason: text(2_048).nullable().describe("Why it cannot be read."),
    }).describe("Sources that cannot be read."),
    webhooks: ofKind({
      id: text(128).describe("The webhook."),
      name: text(2_048).describe("Its description, else its address."),
      offBecause: z
        .enum(["gone", "failing", "flooded"])
        .describe(
          "gone: it answered 410. failing: nothing arrived for 5 days. flooded: too many messages wait.",
        ),
      since: epochMs.describe("Since when it is off, in epoch milliseconds."),
    }).describe("Webhooks that a fault has switched off; none for those who may not see webhooks."),
    syncs: ofKind({
      id: text(128).describe("The sync."),
      name: text(2_048).describe("Where it writes."),
      fault: text(512, 0).describe("Why its files cannot be written."),
      since: epochMs.describe("The first attempt that failed, in epoch milliseconds."),
    }).describe("Syncs that have failed three times in a row or more; none for those who may not see syncs."),
    unknownMails: count.describe(
      `Messages of which nobody knows whether they left, counted up to ${MOST_COUNTED}.`,
    ),
    proposals: ofKind({
      id: text(128).describe("The proposal."),
      ...campaign,
      expiresAt: epochMs.describe("Until when it can be approved, in epoch milliseconds."),
    }).describe("What agents propose."),
    unattended: z
      .object({ ...AgentAtWork.shape.overdue.unwrap().shape, hasPolicy: AgentAtWork.shape.hasPolicy })
      .nullable()
      .describe(
        "What agents could have taken up for ten minutes or longer, where none is at work; null where nothing is.",
      ),
    approvals: ofKind(campaign).describe("Drafts that launch by themselves once a person allows it."),
    drafts: ofKind(campaign).describe(
      "Drafts that announce changes, all of which are live: a person can launch them.",
    ),
  })
  .meta({ id: "Waiting" });
export type Waiting = z.infer<typeof Waiting>;
