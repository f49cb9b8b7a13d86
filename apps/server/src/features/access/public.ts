export { authenticator } from "./authenticate.ts";
export {
  identitySealedAs,
  newIdentitySecret,
  openIdentitySecret,
  sealIdentitySecret,
} from "./perimeter/identity.ts";
export {
  findIdentitySecret,
  listBelievedSecrets,
  replaceIdentitySecret,
} from "./perimeter/identity-store.ts";
export { chosenProject, type ProjectOptions, projectOption } from "./projects/project-option.ts";
export { createProject, lendKey, type ProjectKeys, rotateKey, theOrganization } from "./projects/projects.ts";
export {
  deleteKey,
  type ListedProject,
  listKeys,
  listProjectsAcrossProjects,
  raiseConfigVersion,
} from "./store.ts";
