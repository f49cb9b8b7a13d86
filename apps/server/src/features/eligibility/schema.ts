import { z } from "zod";
import { answerIds } from "../../domain/fields.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import { MAX_DIAGNOSTICS } from "../audience/language/parse/diagnostics.pure.ts";
import { Diagnostic } from "../audience/language/schema.ts";
import { Channel } from "../campaigns/authoring/schema.ts";
import { MAX_COUNTED_FIELDS } from "../deliveries/census/gaps.pure.ts";
import { type AnswerOf, reasonsOf, schemasOf } from "../deliveries/gates/list.ts";
import { emailGates } from "../email/sending/gates/email-gates.ts";
import { pushGates } from "../push/sending/gates/push-gates.ts";
import { webGates } from "../web/gates/web-gates.ts";

/** The gates of all channels; those that several have, several times. */
export const GATES = [...webGates, ...emailGates, ...pushGates] as const;
export type GateName = (typeof GATES)[number]["gate"];
const GATE_NAMES = [...new Set(GATES.map(({ gate }): GateName => gate))];
/** Why a message cannot reach a user. */
export const UNREACHABLE = reasonsOf(GATES);

/** One condition on the way of a campaign to one user, with what it was decided by. */
export const Gate = z.discriminatedUnion("gate", schemasOf(GATES)).meta({ id: "CampaignGate" });
export type Gate = AnswerOf<typeof GATES>;

export const EligibilityOutcome = z.enum([
  "would_receive",
  "postponed",
  "delivered",
  "held_out",
  "blocked",
  "unknown_user",
]);
export type EligibilityOutcome = z.infer<typeof EligibilityOutcome>;

/** Whether one user gets one campaign now, and why (not). */
export const CampaignExplanation = z
  .strictObject({
    campaignId: answerIds.campaign,
    channel: Channel.describe("Where it appears."),
    userId: z.string().max(256).meta({ description: "The user's id in your product.", example: "ada" }),
    evaluatedAt: epochMs,
    outcome: EligibilityOutcome.describe(
      "`would_receive`: every gate passes, so the next page view (web) or the next send (email, push) makes a delivery. `postponed`: only its hour, quiet hours, pressure or the cap is in the way, and it leaves once that allows it, if the campaign still runs. `delivered`: the user has a delivery, and the gate `delivery` says what became of it. `held_out`: the goal holds the user out. `blocked`: something else is in the way. `unknown_user`: nobody has this id, so it is no answer about a user; `blockedBy` and `gates` say what a user of this id would get once there is one.",
    ),
    blockedBy: z
      .enum(GATE_NAMES)
      .nullable()
      .meta({ description: "The first gate that does not pass; null where all pass.", example: null }),
    gates: z
      .array(Gate)
      .max(20)
      .describe("Every gate of the channel, in the order in which delivery asks them."),
  })
  .meta({ id: "CampaignExplanation" });

/** How many users of the audience cannot be reached for one reason. */
const UnreachableUsers = z.strictObject({
  reason: z.enum(UNREACHABLE).describe("Why they cannot be reached."),
  users: count.describe("Users whose first reason it is."),
});

/** How many users have nothing to show at one personal field. */
const MissingField = z.strictObject({
  field: z.string().max(204).describe("As the template spells it, such as `user.first_name`."),
  users: count.describe("Those of them who have nothing there: no value, a blank text, an object."),
  // biome-ignore lint/plugin: the API calls it so.
  of: count.describe(
    "Users whom nothing but that could keep from a text with the field: of `reachable`, with those who are `no_text` or `trait_missing` for what is missing.",
  ),
});

/** Whom a campaign would reach at one instant. */
export const CampaignCensus = z
  .strictObject({
    campaignId: answerIds.campaign,
    channel: Channel.describe("Where it appears."),
    at: epochMs.describe("The instant of all counts, epoch milliseconds."),
    matched: count.describe(
      "Users who match the audience. All counts but `visitors` are of users; of a campaign for visitors alone they are of visitors.",
    ),
    heldOut: count.describe("Users whom the goal holds out, or held out when they would have got it."),
    alreadyDelivered: count.describe("Users who have a delivery already, whatever became of it."),
    unreachable: z
      .array(UnreachableUsers)
      .max(UNREACHABLE.length)
      .describe(
        "Users who cannot be reached: every reason of the channel, in the order in which delivery asks.",
      ),
    reachable: count.describe("Users without a delivery who can be reached: `capped` and `willReceive`."),
    capped: count.describe(
      "Users whose address has had as many mails as the cap allows: `overCap` says what becomes of theirs. 0 on other channels, which have no cap.",
    ),
    willReceive: count.describe("Users who get it if the campaign runs now."),
    later: z
      .strictObject({
        localHour: count.describe(
          "The hour has not come at which the campaign leaves for them (`sendTime`).",
        ),
        quiet: count.describe("It is within their quiet hours (`time.quiet`)."),
        pressure: count.describe(
          "They got as many messages as `pressure.max`, or the limit of the topic, allows.",
        ),
      })
      .describe(
        "Of `reachable`: users who would get it later if it was queued now, each for the first reason. The others get it at once, but for those who are `capped`.",
      ),
    visitors: count.describe(
      "Visitors who are not signed in and match the audience, of a web campaign that is for them: counted beside the users where `visitors` of the campaign is `also`, and the same as `matched` where it is `only`. Otherwise 0.",
    ),
    overCap: z
      .enum(["skip", "postpone"])
      .nullable()
      .describe(
        "`skip`: those who are `capped` are left out for good. `postpone`: they get it once the cap allows it, if the campaign still runs. Null on channels without a cap.",
      ),
    missing: z
      .array(MissingField)
      .max(MAX_COUNTED_FIELDS)
      .describe(
        "Personal fields without a `default` at which some of the users who would get it have nothing to show, most users first. Of the first 20 such fields of the messages.",
      ),
    uncountedFields: count.describe(
      "How many more personal fields without a `default` the messages have, which were not counted.",
    ),
    warnings: z.array(Diagnostic).max(MAX_DIAGNOSTICS).meta({
      description:
        "What keeps users from the campaign that no bucket shows, such as an audience that cannot be read (`unreadable_audience`, `/audience`), visitors whom the project does not keep (`visitors_off`, `/visitors`), users whom mail would reach although their traits say that they left (`left_elsewhere`, `/audience`) and a credential that its push provider refuses (`credential_refused`, `/push/appId`), and likely slips of the pen in the messages. Paths name the variant, by its place in the campaign, and the text: `/variants/0/content/subject`.",
      example: [],
    }),
  })
  .meta({ id: "CampaignCensus" });
export type CampaignCensus = z.infer<typeof CampaignCensus>;
