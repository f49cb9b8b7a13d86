import type { Approval } from "./rules.ts";

/** The journey of a proposal, as it was and as it would be. */
export type JourneyReview = NonNullable<Approval["review"]["journey"]>;
type Step = JourneyReview["before"][number] | JourneyReview["after"][number];
export type Mark = "stays" | "changed" | "gone" | "added";

/** Whether a step is what it was. A message that stays is changed at its campaign alone. */
function isSame(step: Step, other: Step): boolean {
  if (step.kind === "send" && other.kind === "send") return step.campaignId === other.campaignId;
  return JSON.stringify(step) === JSON.stringify(other);
}

/** What becomes of a step, by the steps on the other side of the change. @param side where the step stands */
export function markOf(step: Step, others: readonly Step[], side: "before" | "after"): Mark {
  const other = others.find(({ id }) => id === step.id);
  if (other === undefined) return side === "before" ? "gone" : "added";
  return isSame(step, other) ? "stays" : "changed";
}

/** The users who are at a step now, and where they would go on. */
export type UsersHere = JourneyReview["here"][number];

/** Of users who are at a step, whether the change leaves them nowhere: it is refused then. */
export const isNowhere = ({ stepId, to }: UsersHere, { after }: Pick<JourneyReview, "after">): boolean =>
  to === null && !after.some(({ id }) => id === stepId);
