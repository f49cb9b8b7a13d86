import { webCensus } from "./census.ts";
import { explainWeb } from "./explain.ts";
import { isOpenState } from "./rules.ts";

/** Whom web campaigns reach. */
export const webReach = { explain: explainWeb, census: webCensus, makesUsers: true, isOpen: isOpenState };
