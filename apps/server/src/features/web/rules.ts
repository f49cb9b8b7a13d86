import type { DeliveryState } from "../deliveries/lifecycle/rules.ts";
import type { FeedbackType } from "./schema.ts";

type Presented = { presentation?: unknown; media?: unknown };

/** How a message is presented; older content without a presentation is a modal when it has an image. */
export function presentationOf({ presentation, media }: Presented): "toast" | "modal" {
  if (presentation === "modal" || presentation === "toast") return presentation;
  return media === undefined ? "toast" : "modal";
}

/** `shown` leaves a delivery open; the others resolve it and end its serving. */
export const resolves = (type: FeedbackType): boolean => type !== "shown";

/** States of a delivery that is still to be shown: the feed serves it again. */
export const OPEN_STATES: readonly DeliveryState[] = ["queued", "shown"];

/** Whether the feed serves a delivery in this state again. */
export const isOpenState = (state: DeliveryState): boolean => OPEN_STATES.includes(state);
