import { Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { changeOf, numberOf, percentOf } from "../../platform/figures.ts";
import { words } from "./words.ts";

/** Users who were served beside those who were held out. */
export type Holdout = Answer<"getGoalConversions">["holdout"];
type Side = Holdout["served"];

/** A difference with its ends: what it was, and between what it lies whenever one looks. */
export function Difference({ of: { estimate, lower, upper } }: { of: Holdout["relative"] }) {
  return (
    <>
      {estimate !== null && <Text fw={600}>{changeOf(estimate)}</Text>}
      <Text size="sm" c="dimmed">
        {upper === null ? words.atLeast(changeOf(lower)) : words.between(changeOf(lower), changeOf(upper))}
      </Text>
    </>
  );
}

export function Rate({ of: { estimate, lower, upper } }: { of: Side["rate"] }) {
  if (estimate === null) return <Text c="dimmed">{words.noRate}</Text>;
  return (
    <>
      <Text>{percentOf(estimate)}</Text>
      <Text size="sm" c="dimmed">
        {words.between(percentOf(lower), percentOf(upper))}
      </Text>
    </>
  );
}

export function Users({ of: { matured, pending } }: { of: Pick<Side, "matured" | "pending"> }) {
  return (
    <>
      <Text>{numberOf(matured.exposedUsers)}</Text>
      {pending.exposedUsers > 0 && (
        <Text size="sm" c="dimmed">
          {words.pending(numberOf(pending.exposedUsers))}
        </Text>
      )}
    </>
  );
}
