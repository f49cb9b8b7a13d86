export { launchByPerson } from "./by-person.ts";
export { contentHashOf, readApprovalRevision, readDetail } from "./content-hash.ts";
export { listTakenBack } from "./coverage-store.ts";
export { readCoverage, readStep } from "./facts.ts";
