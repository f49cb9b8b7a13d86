export { type CampaignsOfGoal, campaignsOfGoal } from "./campaigns-of-goal.ts";
export { GuardrailViolation, unreadable, violationFields } from "./guardrail-violation.ts";
export { findGoal, insertGoal } from "./store.ts";
