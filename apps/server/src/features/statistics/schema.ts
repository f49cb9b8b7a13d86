import { z } from "zod";
import { answerIds } from "../../domain/fields.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";

const id = z.string().max(128);
const eValue = z
  .number()
  .min(0)
  .describe(
    "At most 1 in so many campaigns without a difference would ever show a value this large, at any look. At most 1e12.",
  );
const threshold = z.number().describe("The e-value from which on a difference is claimed.");
const fraction = z.number().min(0).max(1);

/** Users, and how many of them converted. */
export const StatisticsOutcome = z
  .object({
    exposedUsers: count.meta({ description: "Users who met the message.", example: 90 }),
    convertedUsers: count.meta({ description: "Users who did it at or after exposure.", example: 9 }),
  })
  .meta({ id: "StatisticsOutcome" });

/** A share of users, and between what it lies at every look (95 %). */
export const RateEstimate = z
  .object({
    estimate: fraction.nullable().describe("The share that converted; null without users."),
    lower: fraction.describe("It is at least this."),
    upper: fraction.describe("It is at most this."),
  })
  .meta({ id: "StatisticsRate" });

/** How much more (0.1: 10 % more) or less. */
export const RelativeDifference = z
  .object({
    estimate: z.number().nullable().describe("Null where there is nothing to compare with."),
    lower: z.number().describe("At least so much more, at every look (95 % over all looks together)."),
    upper: z.number().nullable().describe("At most so much more; null where there is no end."),
  })
  .meta({ id: "StatisticsRelativeDifference" });

/** A difference of two rates, as a fraction of the users. */
export const AbsoluteDifference = z
  .object({
    estimate: z.number().nullable().describe("Null where there is nothing to compare with."),
    lower: z.number().nullable().describe("At least so much."),
    upper: z.number().nullable().describe("At most so much; null where there is no end."),
  })
  .meta({ id: "StatisticsAbsoluteDifference" });

export const VerdictName = z
  .enum(["better", "worse", "similar", "undecided"])
  .meta({ id: "StatisticsVerdict" });

/** Whether users are split as the weights say. While `mismatch` is true, a winner is not to be believed. */
export const SampleRatio = z
  .object({
    eValue,
    threshold,
    mismatch: z
      .boolean()
      .describe(
        "Whether users are split otherwise than asked for: find out why before you believe a winner.",
      ),
    since: epochMs.nullable().describe("Since which change of a content users are counted here."),
    arms: z
      .array(
        z.object({
          variantId: answerIds.variant,
          exposedUsers: count.meta({ description: "Users who met the message.", example: 90 }),
          expectedUsers: z.number().describe("How many the weights ask for."),
        }),
      )
      .max(10)
      .describe("Users of each variant beside what was asked for."),
  })
  .meta({ id: "StatisticsSampleRatio" });

const VariantComparison = z
  .object({
    since: epochMs.describe("Since which change of one of the two contents users are counted here."),
    eValue,
    rates: z
      .object({
        variant: fraction.describe("Of the users of the variant."),
        control: fraction.describe("Of those of the control."),
      })
      .nullable()
      .describe(
        "Rates that may be set beside each other: of users who came while both were sent out, with each period of constant weights counted alike on both sides. Null without users of both.",
      ),
    relative: RelativeDifference.describe(
      "How much more users convert than with the control (0.1: 10 % more).",
    ),
    absolute: AbsoluteDifference.describe(
      "The same as a share of all users: `relative` times the rate of all who saw the control meanwhile. It points where `relative` does.",
    ),
    verdict: VerdictName.describe("What may be claimed now, whenever and however often one looks."),
    bestChance: fraction.describe("For dividing traffic: not a chance to claim."),
    firstClaimAt: epochMs
      .nullable()
      .describe("The end of the first UTC day on which a difference could be claimed."),
  })
  .meta({ id: "StatisticsComparison" });

/** What the counts say of one variant. */
export const VariantStatistics = z
  .object({
    variantId: answerIds.variant,
    isControl: z.boolean().meta({
      description: "Whether the others are compared with it; one variant of a campaign is.",
      example: true,
    }),
    weight: count.meta({
      description: "Its share of users, among the weights of all; 0 retires it.",
      example: 1,
    }),
    matured: StatisticsOutcome.describe("Of its current content, users whose attribution window has ended."),
    pending: StatisticsOutcome.describe("Users whose window has not ended, and what they did up to now."),
    rate: RateEstimate.describe("Which share of the matured users converted."),
    comparison: VariantComparison.nullable().describe("With the control."),
  })
  .meta({ id: "VariantStatistics" });

/** A text that a variant had, or a text of the control that a variant was compared with, and what had come of it. */
export const EarlierText = z
  .object({
    variantId: answerIds.variant,
    contentDigest: z
      .string()
      .max(64)
      .describe("Tells the contents of a variant apart; one that came back has its former digest."),
    because: z
      .enum(["text", "control_text"])
      .describe("What ended it: another text of the variant, or another one of the control."),
    from: epochMs.describe("Since when users got it."),
    until: epochMs.describe("When the text was changed."),
    matured: StatisticsOutcome.describe(
      "Users who got it then, and whose attribution window has ended by now.",
    ),
    pending: StatisticsOutcome.describe("Users who got it then, and whose window has not ended."),
    rate: RateEstimate.describe("Which share of the matured users converted."),
    splitMismatch: z.boolean().describe("Whether users were split otherwise than the weights said."),
    comparison: z
      .object({
        relative: RelativeDifference.describe("How much more users converted than with the control."),
        verdict: VerdictName.describe("What may be claimed of both texts, by what is counted today."),
      })
      .nullable()
      .describe("With the control as it was then."),
  })
  .meta({ id: "StatisticsEarlierText" });
export type EarlierText = z.infer<typeof EarlierText>;

/** A variant for which a change would make counting begin anew. */
export const Restart = z
  .object({
    variantId: answerIds.variant,
    because: z
      .enum(["text", "control_text", "other_control"])
      .describe("Its text changes, or that of the control, or another variant becomes the control."),
    exposedUsers: count.describe("Users who saw it and would count no more."),
    convertedUsers: count.describe("How many of them converted for the goal."),
    verdict: VerdictName.nullable().describe(
      "What may be claimed now and would not be any more; null where nothing is compared, or the split is broken.",
    ),
    since: epochMs.describe("Since when these users were counted."),
  })
  .meta({ id: "StatisticsRestart" });
export type Restart = z.infer<typeof Restart>;

/** What a rule would do with a test. */
export const DecisionOfRule = z
  .object({
    action: z.enum(["blocked", "ship", "keep_control", "continue"]).describe("What to do with it."),
    variantId: answerIds.variant.nullable(),
    retire: z.array(id).max(10).describe("Variants that are worse and still get users."),
  })
  .meta({ id: "StatisticsDecision" });

/** How long answers take. */
export const Plan = z
  .object({
    controlRate: fraction.describe("Which share of the users converts with the control."),
    exposedPerDay: z
      .number()
      .describe(
        "Users a day who get the control or the variant with most weight: of the last full days (up to 7), or as you said.",
      ),
    lifts: z
      .array(
        z.object({
          lift: z.number().describe("A lift of the variant over the control (0.1: 10 % more)."),
          users50: count.nullable().describe("In half of all runs it shows with so many users of both."),
          users80: count.nullable().describe("In 4 of 5 runs it shows with so many users of both."),
          days50: count.nullable().describe("In half of all runs it shows within so many days; null: never."),
          days80: count.nullable().describe("In 4 of 5 runs it shows within so many days; null: never."),
        }),
      )
      .max(4)
      .describe("How long it takes until a lift shows."),
    detectable: z
      .array(
        z.object({
          days: count.describe("After so many days."),
          lift: z
            .number()
            .nullable()
            .describe("The smallest lift that shows in 4 of 5 runs; null: none does."),
        }),
      )
      .max(3)
      .describe("Which lift shows within some days."),
  })
  .meta({ id: "StatisticsPlan" });
export type Plan = z.infer<typeof Plan>;

const side = {
  matured: StatisticsOutcome.describe("Users whose attribution window has ended."),
  pending: StatisticsOutcome.describe("Users whose window has not ended, and what they did up to now."),
  rate: RateEstimate.describe("Which share of the matured users converted."),
};

/** Users who were served by a goal's campaigns beside those who were held out. */
export const Holdout = z
  .object({
    percent: z.int().min(0).max(50).describe("How many per cent the goal holds out now."),
    served: z.object(side).describe("Users whose first message of the goal was queued for them."),
    withheld: z.object(side).describe("Users whose first message of the goal was withheld from them."),
    withoutHoldout: z
      .object({ matured: side.matured, pending: side.pending })
      .describe("Users who were reached while nobody was held out: in no comparison."),
    eValue,
    threshold,
    relative: RelativeDifference.describe("How much more the served convert (0.1: 10 % more)."),
    absolute: AbsoluteDifference.describe("The same as a share of all users."),
    verdict: VerdictName.describe("What may be claimed of being served."),
    sampleRatio: z
      .object({
        eValue,
        threshold,
        mismatch: z.boolean().describe("Whether another share of users was held out than asked for."),
      })
      .describe("Whether as many users were held out as the goal asks for."),
  })
  .meta({ id: "HoldoutStatistics" });
export type Holdout = z.infer<typeof Holdout>;

/** The most days that a series has. */
export const MAX_SERIES_DAYS = 366;

const DayOfSeries = z
  .object({
    at: epochMs.describe("The end of a UTC day."),
    sampleRatioEValue: z.number().describe("Of the sample ratio of the users who had matured."),
    variants: z
      .array(
        z.object({
          variantId: answerIds.variant,
          exposedUsers: count.describe("Users who met the message."),
          convertedUsers: count.describe("Users who did it at or after exposure."),
          eValue: z
            .number()
            .nullable()
            .describe("Of the comparison with the control; null where there is none."),
          lower: z.number().nullable().describe("Lower end of the relative difference."),
          upper: z
            .number()
            .nullable()
            .describe("Upper end of the relative difference; null where there is no end."),
        }),
      )
      .max(10)
      .describe("The variants."),
  })
  .meta({ id: "StatisticsDay" });
export type DayOfSeries = z.infer<typeof DayOfSeries>;

/** What visitors left who became users whom the campaign had met as well. */
export const MergedUnits = z
  .object({
    units: count.describe(
      "Deliveries and withheld deliveries of visitors who became users that the campaign had decided about as well: each counts as a user of its own, and what the person does counts for both.",
    ),
    share: fraction.describe("Their share of all that was exposed or withheld; 0 where there is none."),
  })
  .meta({ id: "MergedUnits" });
export type MergedUnits = z.infer<typeof MergedUnits>;

/** What may be claimed about a campaign, however often one looks. Everything comes from counts alone. */
export const Statistics = z
  .object({
    method: z.literal("split-1").describe("How it is computed."),
    attributionDays: z.int().describe("How many days after exposure a conversion counts."),
    maturedUntil: epochMs.describe("Users who were exposed until then have matured."),
    alpha: z.number().describe("The chance of a false claim, over all looks together."),
    isGoalEvent: z.boolean().describe("Whether the event is the one that the goal counts."),
    snapshot: z
      .string()
      .length(64)
      .describe("SHA-256 of the counts and allocations that everything here but the holdout comes from."),
    comparisons: count.describe("Among how many comparisons the error is divided."),
    threshold,
    unknownAllocation: count.describe("Users whose weights nobody knows any more: in no comparison."),
    merged: MergedUnits.describe(
      "People who count twice, because they met the campaign before they signed in, too.",
    ),
    sampleRatio: SampleRatio.describe("Whether users are split as the weights say."),
    variants: z.array(VariantStatistics).max(10).describe("The variants."),
    decision: DecisionOfRule.nullable().describe(
      "What a rule would do that only claims what it knows; null for another event than the goal's, or for one variant.",
    ),
    plan: Plan.nullable().describe("How long an answer takes; null without traffic or conversions."),
    holdout: Holdout.nullable().describe(
      "Users whose first message of the goal was of this campaign; null where nobody was held out.",
    ),
    series: z
      .array(DayOfSeries)
      .max(MAX_SERIES_DAYS)
      .optional()
      .describe("What would have been said at the end of each past UTC day, where it was asked for."),
  })
  .meta({ id: "CampaignStatistics" });
export type Statistics = z.infer<typeof Statistics>;
