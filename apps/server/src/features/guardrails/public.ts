export { observeGuardrails } from "./observe.ts";
export { listBreachesOfGoal, listOpenBreaches } from "./store.ts";
