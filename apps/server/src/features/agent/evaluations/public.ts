export { adoptProposals } from "./adopt.ts";
export { decide, type Verdict } from "./decide.ts";
export { planEvaluation } from "./store.ts";
