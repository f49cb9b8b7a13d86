export { readDeployments, readOutcome, readPull, readPulls } from "./read.ts";
export { apiOf, type Repository } from "./rest.ts";
