import { type StatisticsInput, statisticsOf } from "../../../statistics/public.ts";
import type { ArmAllocation } from "../../authoring/public.ts";
import type { SplitArm } from "../../authoring/steps.pure.ts";
import type { JourneyStatistics } from "./schema.ts";

/** Users by the arm and the epoch of their first entry, counted as those of campaigns are by variant and epoch. */
export type ArmCell = Omit<StatisticsInput["cells"][number], "variantId"> & { arm: string };

/** All that the statistics of a journey come from. `evaluatedAt` is epoch milliseconds; `minimumLift` is the smallest lift that matters. */
export type ArmQuestion = Pick<StatisticsInput, "evaluatedAt" | "attributionDays" | "minimumLift"> & {
  arms: readonly Pick<SplitArm, "name" | "weight" | "isControl">[];
  allocations: readonly (ArmAllocation & { epoch: number; startedAt: number })[];
  cells: readonly ArmCell[];
};

const asVariant = <Row extends { arm: string }>({ arm, ...row }: Row) => ({ ...row, variantId: arm });

/** What the counts say about the arms of a journey: what they would say about variants of a campaign that were split alike. */
export function armStatisticsOf({ arms, allocations, cells, ...question }: ArmQuestion): JourneyStatistics {
  const { sampleRatio, variants, decision, ...rest } = statisticsOf({
    ...question,
    isGoalEvent: true,
    variants: arms.map(({ name, weight, isControl }) => ({ variantId: name, weight, isControl })),
    allocations: allocations.map(asVariant),
    cells: cells.map(asVariant),
    holdout: null,
    // Visitors enter no journey, so no person is counted twice.
    merged: { units: 0, share: 0 },
    wantsSeries: false,
  });
  const { method, attributionDays, maturedUntil, alpha, snapshot, comparisons, threshold, plan } = rest;
  return {
    method,
    attributionDays,
    maturedUntil,
    alpha,
    snapshot,
    comparisons,
    threshold,
    plan,
    sampleRatio: {
      ...sampleRatio,
      arms: sampleRatio.arms.map(({ variantId: name, ...each }) => ({ name, ...each })),
    },
    arms: variants.map(({ variantId: name, ...each }) => ({ name, ...each })),
    decision: decision && { action: decision.action, arm: decision.variantId, retire: decision.retire },
  };
}
