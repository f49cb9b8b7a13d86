import { Alert, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { percentOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { words } from "./words.ts";

type OfVariant = Answer<"getCampaignConversions">["statistics"]["variants"][number];
export type Rates = {
  /** Whether a goal counts an event, so that there are rates, or will be once they are counted. */
  isCounted: boolean;
  variants: ReadonlyMap<string, OfVariant>;
  /** Whether users are split otherwise than the weights say. */
  isSplitBroken: boolean;
};

/**
 * Users and rates of the variants of a campaign, by variant: of those who got the text that it has now, for the event of its goal. Without
 * such an event there are none, and while they are counted there are none yet.
 */
export function useRates(scope: string, campaignId: string, goalId: string | null): Rates {
  const goal = useOperation(scope, "getGoal", { path: { id: goalId ?? "" } }, { enabled: goalId !== null });
  const event = goalId === null ? null : (goal.data?.goal.targetEvent ?? null);
  const isCounted = goalId !== null && goal.data?.goal.targetEvent !== null;
  const { data } = useOperation(
    scope,
    "getCampaignConversions",
    { path: { id: campaignId }, query: { event: event ?? "" } },
    { enabled: event !== null },
  );
  if (event === null || data === undefined) return { isCounted, variants: new Map(), isSplitBroken: false };
  const { variants, sampleRatio } = data.statistics;
  return {
    isCounted,
    variants: new Map(variants.map((variant) => [variant.variantId, variant])),
    isSplitBroken: sampleRatio.mismatch,
  };
}

/** How many users got a variant, and which share of them converted. */
export function RateOf({
  variant,
}: {
  variant: Pick<OfVariant, "matured" | "pending" | "rate"> | undefined;
}) {
  if (variant === undefined) return null;
  const { matured, pending, rate } = variant;
  if (rate.estimate === null && pending.exposedUsers === 0) return <Text size="sm">{words.noUserYet}</Text>;
  return (
    <Text size="sm">
      {rate.estimate !== null && (
        <>
          <Text span fw={600} size="sm">
            {words.rateOf(percentOf(rate.estimate), matured.exposedUsers)}
          </Text>{" "}
        </>
      )}
      {pending.exposedUsers > 0 && (
        <Text span c="dimmed" size="sm">
          {words.pending(pending.exposedUsers)}
        </Text>
      )}
    </Text>
  );
}

/** Warns of rates beside each other that may not be compared. */
export const SplitWarning = ({ rates }: { rates: Rates }) =>
  rates.isSplitBroken && (
    <Alert color="red" title={words.mismatch}>
      {words.splitBroken}
    </Alert>
  );
