export { triggersCte } from "./entering/trigger-store.ts";
export { eraseFromJourneys } from "./erase-store.ts";
export { recountJourneys } from "./results/counts-store.ts";
