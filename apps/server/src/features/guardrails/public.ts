export { observeGuardrails } from "./observe.ts";
