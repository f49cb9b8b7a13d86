export { observeGuardrails } from "./observe.ts";
export { listOpenBreaches } from "./store.ts";
