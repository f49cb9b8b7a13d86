export { firstLink } from "./first-link.ts";
export { personOrigin } from "./origin.ts";
export { recogniser } from "./recognise.ts";
export { listProjectsOfPerson } from "./store.ts";
