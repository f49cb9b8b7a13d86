import { z } from "zod";
import { count, epochMs } from "../../platform/http/fields.ts";

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
export const Outcome = z
  .object({ exposedUsers: count, convertedUsers: count })
  .meta({ id: "StatisticsOutcome" });

/** A share of users, and between what it lies at every look (95 %). */
export const RateEstimate = z
  .object({ estimate: fraction.nullable(), lower: fraction, upper: fraction })
  .meta({ id: "StatisticsRate" });

/** How much more (0.1: 10 % more) or less. */
export const RelativeDifference = z
  .object({ estimate: z.number().nullable(), lower: z.number(), upper: z.number().nullable() })
  .meta({ id: "StatisticsRelativeDifference" });

/** A difference of two rates, as a fraction of the users. */
export const AbsoluteDifference = z
  .object({
    estimate: z.number().nullable(),
    lower: z.number().nullable(),
    upper: z.number().nullable(),
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
    mismatch: z.boolean(),
    since: epochMs.nullable().describe("Since which change of a content users are counted here."),
    arms: z.array(z.object({ variantId: id, exposedUsers: count, expectedUsers: z.number() })).max(10),
  })
  .meta({ id: "StatisticsSampleRatio" });

const VariantComparison = z
  .object({
    since: epochMs.describe("Since which change of one of the two contents users are counted here."),
    eValue,
    relative: RelativeDifference,
    absolute: AbsoluteDifference,
    verdict: VerdictName,
    bestChance: fraction.describe("For dividing traffic: not a chance to claim."),
    firstClaimAt: epochMs
      .nullable()
      .describe("The end of the first UTC day on which a difference could be claimed."),
  })
  .meta({ id: "StatisticsComparison" });

const VariantStatistics = z
  .object({
    variantId: id,
    isControl: z.boolean(),
    weight: count,
    matured: Outcome.describe("Of its current content, users whose attribution window has ended."),
    pending: Outcome.describe("Users whose window has not ended, and what they did up to now."),
    rate: RateEstimate,
    comparison: VariantComparison.nullable().describe("With the control."),
  })
  .meta({ id: "VariantStatistics" });

const DecisionOfRule = z
  .object({
    action: z.enum(["blocked", "ship", "keep_control", "continue"]),
    variantId: id.nullable(),
    retire: z.array(id).max(10),
  })
  .meta({ id: "StatisticsDecision" });

const Plan = z
  .object({
    exposedPerDay: z.number(),
    lifts: z.array(z.object({ lift: z.number(), days50: count.nullable(), days80: count.nullable() })).max(4),
    detectable: z.array(z.object({ days: count, lift: z.number().nullable() })).max(3),
  })
  .meta({ id: "StatisticsPlan" });

const side = { matured: Outcome, pending: Outcome, rate: RateEstimate };

/** Users who were served by a goal's campaigns beside those who were held out. */
export const Holdout = z
  .object({
    percent: z.int().min(0).max(50).describe("How many per cent the goal holds out now."),
    served: z.object(side),
    withheld: z.object(side),
    withoutHoldout: z
      .object({ matured: Outcome, pending: Outcome })
      .describe("Users who were reached while nobody was held out: in no comparison."),
    eValue,
    threshold,
    relative: RelativeDifference,
    absolute: AbsoluteDifference,
    verdict: VerdictName,
    sampleRatio: z.object({ eValue, threshold, mismatch: z.boolean() }),
  })
  .meta({ id: "HoldoutStatistics" });
export type Holdout = z.infer<typeof Holdout>;

/** The most days that a series has. */
export const MAX_SERIES_DAYS = 366;

const DayOfSeries = z
  .object({
    at: epochMs.describe("The end of a UTC day."),
    sampleRatioEValue: z.number(),
    variants: z
      .array(
        z.object({
          variantId: id,
          exposedUsers: count,
          convertedUsers: count,
          eValue: z.number().nullable(),
          lower: z.number().nullable(),
          upper: z.number().nullable(),
        }),
      )
      .max(10),
  })
  .meta({ id: "StatisticsDay" });
export type DayOfSeries = z.infer<typeof DayOfSeries>;

/** What may be claimed about a campaign, however often one looks. Everything comes from counts alone. */
export const Statistics = z
  .object({
    method: z.literal("split-1"),
    attributionDays: z.int().describe("How many days after exposure a conversion counts."),
    maturedUntil: epochMs.describe("Users who were exposed until then have matured."),
    alpha: z.number().describe("The chance of a false claim, over all looks together."),
    isGoalEvent: z.boolean().describe("Whether the event is the one that the goal counts."),
    snapshot: z
      .string()
      .length(64)
      .describe("SHA-256 of the counts and allocations that everything here comes from."),
    comparisons: count.describe("Among how many comparisons the error is divided."),
    threshold,
    unknownAllocation: count.describe("Users whose weights nobody knows any more: in no comparison."),
    sampleRatio: SampleRatio,
    variants: z.array(VariantStatistics).max(10),
    decision: DecisionOfRule.nullable(),
    plan: Plan.nullable(),
    holdout: Holdout.nullable(),
    series: z.array(DayOfSeries).max(MAX_SERIES_DAYS).optional(),
  })
  .meta({ id: "CampaignStatistics" });
export type Statistics = z.infer<typeof Statistics>;
