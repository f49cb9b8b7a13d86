export { authenticator } from "./authenticate.ts";
export { createProject, type ProjectKeys, rotateKey } from "./projects.ts";
export { listProjectsAcrossProjects, raiseConfigVersion } from "./store.ts";
