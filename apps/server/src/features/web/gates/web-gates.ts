import type { Serving } from "../../counting/usage/rules.ts";
import { audienceGate } from "../../deliveries/gates/audience.ts";
import { deliveryGate } from "../../deliveries/gates/delivery.ts";
import { holdoutGate } from "../../deliveries/gates/holdout.ts";
import { servingGate } from "../../deliveries/gates/serving.ts";
import { statusGate } from "../../deliveries/gates/status.ts";
import { userGate } from "../../deliveries/gates/user.ts";
import { variantGate } from "../../deliveries/gates/variant.ts";
import { visitorsGate } from "../../deliveries/gates/visitors.ts";
import { windowGate } from "../../deliveries/gates/window.ts";
import { withheldGate } from "../../deliveries/gates/withheld.ts";
import { webMessageGate } from "./message.ts";
import { pageGate } from "./page.ts";

/** Why the web serves nothing, in a sentence; null where it serves. */
function pausedBecause({ serving }: Serving): string | null {
  if (serving === "ok") return null;
  return serving === "cap_reached"
    ? "The spend cap is reached."
    : "Nothing is served before billing is restored.";
}

/** The gates of web in-app messages, in the order in which the feed asks them. */
export const webGates = [
  statusGate,
  windowGate,
  servingGate(pausedBecause),
  userGate(true),
  visitorsGate,
  pageGate,
  deliveryGate,
  withheldGate,
  audienceGate,
  variantGate,
  webMessageGate,
  holdoutGate,
] as const;
