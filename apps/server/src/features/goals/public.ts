export { findGoal } from "./store.ts";
