import { type DeliveryState, NOT_LEFT } from "../../deliveries/lifecycle/rules.ts";
import { emailCensus } from "./census.ts";
import { explainEmail } from "./explain.ts";

/** Whom email campaigns reach. */
export const emailReach = {
  explain: explainEmail,
  census: emailCensus,
  makesUsers: false,
  isOpen: (state: DeliveryState): boolean => NOT_LEFT.includes(state),
};
