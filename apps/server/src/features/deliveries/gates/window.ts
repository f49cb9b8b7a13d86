import { z } from "zod";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { type DeliveryWindow, placeInWindow } from "../../campaigns/authoring/rules.ts";
import { gate } from "./gate.ts";
import { instantIn } from "./words.pure.ts";

type Facts = { campaign: DeliveryWindow; now: number };

const at = epochMs.nullable();

/** Whether the delivery window is open. */
export const windowGate = gate({
  gate: "window",
  asks: "is this instant within `deliverFrom` and `deliverUntil`?",
  stages: ["feed"],
  shape: {
    place: z
      .enum(["before", "open", "over"])
      .describe("Where this instant lies: before the delivery window, in it, or after it."),
    deliverFrom: at.describe("When delivery begins; null is at once."),
    deliverUntil: at.describe("When delivery ends; null is never."),
  },
  passes: ({ campaign, now }: Facts) => placeInWindow(campaign, now) === "open",
  note({ campaign, now }: Facts) {
    const { deliverFrom, deliverUntil } = campaign;
    const place = placeInWindow(campaign, now);
    if (place === "before") return `Delivery begins on ${instantIn(deliverFrom ?? 0)}.`;
    if (place === "over") return `Delivery ended on ${instantIn(deliverUntil ?? 0)}: choose a later end.`;
    return deliverUntil === null
      ? "Messages are delivered without an end."
      : `Messages are delivered until ${instantIn(deliverUntil)}.`;
  },
  details({ campaign, now }: Facts) {
    const { deliverFrom, deliverUntil } = campaign;
    return { place: placeInWindow(campaign, now), deliverFrom, deliverUntil };
  },
});
