import { Text } from "@mantine/core";
import type { Holdout } from "../../platform/api-types.ts";
import { formatDifference, numberOf, percentOf } from "../../platform/figures.ts";
import { isKnown } from "./rules.ts";
import { words } from "./words.ts";

type Side = Holdout["served"];

/** In place of whatever would be claimed of users who are not split as asked for. */
export const BrokenSplit = () => (
  <Text size="sm" c="dimmed">
    {words.broken}
  </Text>
);

type IfSound = {
  /** Whether users are split otherwise than asked for, so that nothing may be claimed of them. */
  isBroken: boolean;
};

/** A difference with its ends: what it was, and between what it lies whenever one looks. */
export function DifferenceCell({ interval, isBroken }: { interval: Holdout["relative"] } & IfSound) {
  const { estimate, lower, upper } = interval;
  if (isBroken) return <BrokenSplit />;
  if (!isKnown(interval)) return <Text c="dimmed">{words.unknown}</Text>;
  return (
    <>
      {estimate !== null && <Text fw={600}>{formatDifference(estimate)}</Text>}
      <Text size="sm" c="dimmed">
        {upper === null
          ? words.atLeast(formatDifference(lower))
          : words.between(formatDifference(lower), formatDifference(upper))}
      </Text>
    </>
  );
}

/** A rate, and between what it lies whenever one looks: which is right only where users are split as the weights say. */
export function RateCell({
  interval: { estimate, lower, upper },
  isBroken,
}: { interval: Side["rate"] } & IfSound) {
  if (estimate === null) return <Text c="dimmed">{words.noRate}</Text>;
  return (
    <>
      <Text>{percentOf(estimate)}</Text>
      {!isBroken && (
        <Text size="sm" c="dimmed">
          {words.between(percentOf(lower), percentOf(upper))}
        </Text>
      )}
    </>
  );
}

export function Users({ side: { matured, pending } }: { side: Pick<Side, "matured" | "pending"> }) {
  return (
    <>
      <Text>{numberOf(matured.exposedUsers)}</Text>
      {pending.exposedUsers > 0 && (
        <Text size="sm" c="dimmed">
          {words.pending(pending.exposedUsers)}
        </Text>
      )}
    </>
  );
}
