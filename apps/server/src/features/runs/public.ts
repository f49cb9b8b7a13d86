export { resolveRun } from "./resolve-run.ts";
