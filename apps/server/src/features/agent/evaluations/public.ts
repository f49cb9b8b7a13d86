export { adoptProposals } from "./adopt.ts";
export { decide, type Verdict } from "./decide.ts";
export { isDue, planEvaluation } from "./store.ts";
