import { type DeliveryState, NOT_LEFT } from "../../deliveries/lifecycle/rules.ts";
import { pushCensus } from "./census.ts";
import { explainPush } from "./explain.ts";

/** Whom push campaigns reach. */
export const pushReach = {
  explain: explainPush,
  census: pushCensus,
  makesUsers: false,
  isOpen: (state: DeliveryState): boolean => NOT_LEFT.includes(state),
};
