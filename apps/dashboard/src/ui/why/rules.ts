import type { Answer } from "@tidings/client";
import type { CampaignDetail } from "../../platform/api-types.ts";
import type { Expression } from "../audience/tree.pure.ts";

export type Explanation = Answer<"explainCampaign">;
export type Gate = Explanation["gates"][number];

/** The conditions of the audience of a campaign; null for all users, and for one that cannot be read. */
export const audienceExpression = ({ audience }: Pick<CampaignDetail, "audience">): Expression | null =>
  "expression" in audience ? audience.expression : null;

/** The condition that stops a campaign for a user first; null where none does. A user who has had the campaign is not stopped by that. */
export function stopOf({ outcome, blockedBy, gates }: Explanation): Gate | null {
  if (outcome === "delivered" && blockedBy === "delivery") return null;
  return gates.find(({ gate }) => gate === blockedBy) ?? null;
}

/** Whether a condition that does not pass only delays the campaign. */
export function delays(gate: Gate): boolean {
  switch (gate.gate) {
    case "time":
    case "quiet":
    // Without an instant it waits for messages that are on their way to the user.
    case "pressure":
      return true;
    case "cap":
      return gate.postponedUntil !== null;
    default:
      return false;
  }
}

/** States of a delivery that never reached its user. */
const LOST: readonly string[] = ["frequency_capped", "withdrawn", "failed", "bounced"];

/** What the campaign comes to for a user. A delivery may still be on its way, or have gone wrong: then the user does not have it. */
export function verdictOf(
  explanation: Explanation,
): Exclude<Explanation["outcome"], "unknown_user"> | "stopped" | "lost" {
  const { outcome, gates } = explanation;
  if (outcome === "unknown_user") return "blocked";
  const delivery = gates.find((gate) => gate.gate === "delivery")?.delivery ?? null;
  if (outcome !== "delivered" || delivery === null) return outcome;
  if (!delivery.isOpen) return LOST.includes(delivery.state) ? "lost" : "delivered";
  const stop = stopOf(explanation);
  if (stop === null) return "would_receive";
  return delays(stop) ? "postponed" : "stopped";
}

/** Sentences that say what becomes of the campaign for a user who gets it, or has had it. */
export function reasonsOf({ outcome, gates }: Explanation): string[] {
  if (outcome === "delivered") return gates.filter(({ gate }) => gate === "delivery").map(({ note }) => note);
  if (outcome !== "would_receive") return [];
  const isOpen = (gate: Gate): boolean => gate.gate === "page" && gate.passes === null;
  return gates.filter((gate) => gate.gate === "variant" || isOpen(gate)).map(({ note }) => note);
}
