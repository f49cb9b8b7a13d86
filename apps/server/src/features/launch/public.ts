export { launchByPerson } from "./judging/by-person.ts";
export { contentHashOf, readApprovalRevision, readDetail } from "./judging/content-hash.ts";
export { listTakenBack } from "./judging/coverage-store.ts";
export { readCoverage, readStep } from "./judging/facts.ts";
