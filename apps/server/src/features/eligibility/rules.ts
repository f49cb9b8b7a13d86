import type { EligibilityOutcome, Gate, GateName } from "./schema.ts";

/** Whether a gate that does not pass only has the message wait. */
function isPostponing(gate: Gate): boolean {
  switch (gate.gate) {
    case "time":
    case "quiet":
    case "pressure":
      return gate.until !== null;
    case "cap":
      return gate.postponedUntil !== null;
    default:
      return false;
  }
}

/** What the gates of one user come to, and the first one that does not pass. */
export function eligibilityOutcome(gates: readonly Gate[]): {
  outcome: EligibilityOutcome;
  blockedBy: GateName | null;
} {
  const blockedBy = gates.find(({ passes }) => passes === false)?.gate ?? null;
  // What the gates say is about a user who does not exist yet, so no word about this one may come of it.
  if (gates.some((each) => each.gate === "user" && !each.known))
    return { outcome: "unknown_user", blockedBy };
  const hasDelivery = gates.some((each) => each.gate === "delivery" && each.delivery !== null);
  if (hasDelivery) return { outcome: "delivered", blockedBy };
  if (blockedBy === null) return { outcome: "would_receive", blockedBy };
  if (gates.some((each) => each.gate === blockedBy && isPostponing(each)))
    return { outcome: "postponed", blockedBy };
  const isHeldOut = blockedBy === "withheld" || blockedBy === "holdout";
  return { outcome: isHeldOut ? "held_out" : "blocked", blockedBy };
}
