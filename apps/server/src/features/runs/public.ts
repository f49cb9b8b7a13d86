export { hasRun, insertRun } from "./store.ts";
