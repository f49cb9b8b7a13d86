export { type CampaignsOfGoal, campaignsOfGoal } from "./campaigns-of-goal.ts";
export { findGoal, insertGoal } from "./store.ts";
