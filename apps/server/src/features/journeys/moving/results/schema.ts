import { z } from "zod";
import { count } from "../../../../platform/http/contract/fields.ts";
import { variantName } from "../../../campaigns/authoring/schema.ts";
import { DecisionOfRule, SampleRatio, Statistics, VariantStatistics } from "../../../statistics/schema.ts";
import { MAX_ARMS } from "../../authoring/steps.pure.ts";

/** The arm of a user in an answer. */
export const entryArm = z
  .string()
  .max(40)
  .nullable()
  .describe("The arm of the split that they drew when they entered; null where the journey has none.");

const armName = variantName.describe("Name of the arm.");

const ArmStatistics = VariantStatistics.omit({ variantId: true })
  .extend({ name: armName })
  .meta({ id: "ArmStatistics" });

const ArmSampleRatio = SampleRatio.omit({ arms: true })
  .extend({
    arms: z
      .array(
        z.object({
          name: armName,
          exposedUsers: count.meta({ description: "Users who entered.", example: 90 }),
          expectedUsers: z.number().describe("How many the weights ask for."),
        }),
      )
      .max(MAX_ARMS)
      .describe("Users of each arm beside what was asked for."),
  })
  .meta({ id: "ArmSampleRatio" });

const ArmDecision = DecisionOfRule.omit({ variantId: true, retire: true })
  .extend({
    arm: armName.nullable().describe("The arm to keep; null where it is not known yet."),
    retire: z.array(armName).max(MAX_ARMS).describe("Arms that are worse and still get users."),
  })
  .meta({ id: "ArmDecision" });

/** What may be claimed about the arms of a journey, in the shape in which campaigns have it of their variants. */
export const JourneyStatistics = Statistics.pick({
  method: true,
  attributionDays: true,
  maturedUntil: true,
  alpha: true,
  snapshot: true,
  comparisons: true,
  threshold: true,
  plan: true,
})
  .extend({
    sampleRatio: ArmSampleRatio.describe("Whether users are split as the weights say."),
    arms: z.array(ArmStatistics).max(MAX_ARMS).describe("The arms."),
    decision: ArmDecision.nullable().describe("What a rule would do that only claims what it knows."),
  })
  .meta({ id: "JourneyStatistics" });
export type JourneyStatistics = z.infer<typeof JourneyStatistics>;
