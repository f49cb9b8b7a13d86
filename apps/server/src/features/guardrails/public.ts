export { observeGuardrails } from "./observe.ts";
export { listBreachesOfGoal } from "./store.ts";
