export { findGoal, insertGoal } from "./store.ts";
