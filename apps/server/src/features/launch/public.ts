export { launchByPerson } from "./by-person.ts";
export { approvalRevisionOf, readDetail } from "./content-hash.ts";
export { readCoverage } from "./facts.ts";
