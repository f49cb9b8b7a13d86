export { launchByPerson } from "./by-person.ts";
export { approvalRevisionOf, contentHashOf, readDetail } from "./content-hash.ts";
export { readCoverage, readSituation } from "./facts.ts";
