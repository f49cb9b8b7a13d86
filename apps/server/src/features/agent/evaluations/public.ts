export { adoptProposals } from "./adopt.ts";
export { decide, type Verdict } from "./decide.ts";
export { leaseDigest, newLeaseToken } from "./lease.ts";
export { findProposal, listProposals } from "./proposal-store.ts";
export { reviewOf } from "./review.ts";
export { countAudience } from "./review-store.ts";
export { readSafety } from "./safety.ts";
export { isDue, lockDay, payFor, planEvaluation, readGranted } from "./store.ts";
export { viewProposal } from "./view.ts";
