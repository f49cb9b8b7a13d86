export { hasRun } from "./store.ts";
