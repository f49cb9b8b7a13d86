import { Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { changeOf, numberOf, percentOf } from "../../platform/figures.ts";
import { isKnown } from "./rules.ts";
import { words } from "./words.ts";

/** Users who were served beside those who were held out. */
export type Holdout = Answer<"getGoalConversions">["holdout"];
type Side = Holdout["served"];

/** In place of whatever would be claimed of users who are not split as asked for. */
export const Broken = () => (
  <Text size="sm" c="dimmed">
    {words.broken}
  </Text>
);

type IfSound = {
  /** Whether users are split otherwise than asked for, so that nothing may be claimed of them. */
  isBroken: boolean;
};

/** A difference with its ends: what it was, and between what it lies whenever one looks. */
export function Difference({ interval, isBroken }: { interval: Holdout["relative"] } & IfSound) {
  const { estimate, lower, upper } = interval;
  if (isBroken) return <Broken />;
  if (!isKnown(interval)) return <Text c="dimmed">{words.unknown}</Text>;
  return (
    <>
      {estimate !== null && <Text fw={600}>{changeOf(estimate)}</Text>}
      <Text size="sm" c="dimmed">
        {upper === null ? words.atLeast(changeOf(lower)) : words.between(changeOf(lower), changeOf(upper))}
      </Text>
    </>
  );
}

/** A rate, and between what it lies whenever one looks: which is right only where users are split as the weights say. */
export function Rate({
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
