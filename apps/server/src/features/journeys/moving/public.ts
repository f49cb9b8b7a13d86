export { recountJourneys } from "./counts-store.ts";
export { eraseFromJourneys } from "./erase-store.ts";
export { triggersCte } from "./trigger-store.ts";
