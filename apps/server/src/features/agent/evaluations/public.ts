export { adoptProposals } from "./adopt.ts";
export { decide, type Verdict } from "./decide.ts";
export { findProposal, listProposals } from "./proposal-store.ts";
export { reviewOf } from "./review.ts";
export { isDue, planEvaluation } from "./store.ts";
export { viewProposal } from "./view.ts";
