import type { Answer } from "@tidings/client";

export type Trace = Answer<"explainAudience">["trace"];

/** What a user has, as an explanation shows it. */
type Observed = { value: string | null; type: string; note: string | null };

/** What one condition of an explanation saw of the user; null for a group. */
export function observedOf(trace: Trace): Observed | null {
  if (trace.kind !== "field") return null;
  const { observed, observedType, note } = trace;
  return {
    value: observed === null || observed === undefined ? null : String(observed),
    type: String(observedType ?? ""),
    note: typeof note === "string" ? note : null,
  };
}

/** The parts of a group, or the part of a negation; a condition has none. */
export const nodeParts = ({ children, child }: Trace): Trace[] =>
  children ?? (child === undefined ? [] : [child]);

/**
 * Whether it lies on a part that the whole is not met, where it lies on the group around it. What a negation is about is met, so it lies on
 * the negation itself.
 */
export const isCauseIn = (group: Trace, part: Trace): boolean => group.kind !== "not" && !part.matched;
