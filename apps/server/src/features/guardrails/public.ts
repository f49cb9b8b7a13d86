export { type GuardrailReading, observeGuardrails } from "./observe.ts";
