export { authenticator } from "./authenticate.ts";
export { identitySealedAs } from "./perimeter/identity.ts";
export { identitySecret, logIdentitySecret } from "./perimeter/identity-secret.ts";
export { listBelievedSecrets } from "./perimeter/identity-store.ts";
export { chosenProject, type ProjectOptions, projectOption } from "./projects/project-option.ts";
export { createProject, lendKey, type ProjectKeys, rotateKey, theOrganization } from "./projects/projects.ts";
export {
  deleteKey,
  type ListedProject,
  listKeys,
  listProjectsAcrossProjects,
  lockProject,
  raiseConfigVersion,
} from "./store.ts";
