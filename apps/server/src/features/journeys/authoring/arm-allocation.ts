import { canonicalHash } from "../../../platform/text/canonical.ts";
import { splitOf } from "./rules.ts";
import type { Definition } from "./schema.ts";
import type { Step } from "./steps.pure.ts";

/** What an arm of a split has: its share of users, and what tells its steps and their messages from others. */
export type ArmAllocation = { arm: string; weight: number; contentDigest: string };

/** The steps that users may come through from one on, in their order. */
function stepsFrom({ steps }: Pick<Definition, "steps">, from: string): Step[] {
  const ways = new Set([from]);
  const found: Step[] = [];
  // Steps lead forwards alone, so one look at each is enough.
  for (const [place, step] of steps.entries()) {
    if (!ways.has(step.id)) continue;
    found.push(step);
    if (step.kind === "if") ways.add(step.else);
    const next = steps[place + 1];
    if (step.kind !== "end" && next !== undefined) ways.add(next.id);
  }
  return found;
}

/**
 * What each arm of a journey has now; none where it has no split. An arm is its steps, what ends the journey, and of each message the epoch of its
 * campaign, which rises with its texts and weights.
 * @param campaignEpochs by the ids of campaigns in the API
 */
export function allocationOf(
  definition: Definition,
  campaignEpochs: ReadonlyMap<string, number>,
): ArmAllocation[] {
  return (splitOf(definition)?.arms ?? []).map(({ name, weight, to }) => ({
    arm: name,
    weight,
    contentDigest: canonicalHash({
      exit: definition.exit,
      steps: stepsFrom(definition, to).map((step) =>
        step.kind === "send" ? { ...step, epoch: campaignEpochs.get(step.campaignId) ?? 0 } : step,
      ),
    }),
  }));
}

/** Whether two allocations are the same, in whatever order their arms stand. */
export function isSameAllocation(one: readonly ArmAllocation[], other: readonly ArmAllocation[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ arm, weight, contentDigest }) =>
      other.some(
        (each) => each.arm === arm && each.weight === weight && each.contentDigest === contentDigest,
      ),
    )
  );
}
