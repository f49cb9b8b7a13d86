export { authenticator } from "./authenticate.ts";
export { identitySealedAs, newIdentitySecret, openIdentitySecret, sealIdentitySecret } from "./identity.ts";
export { findIdentitySecret, listBelievedSecrets, replaceIdentitySecret } from "./identity-store.ts";
export { chosenProject, type ProjectOptions, projectOption } from "./project-option.ts";
export { createProject, lendKey, type ProjectKeys, rotateKey, theOrganization } from "./projects.ts";
export {
  deleteKey,
  type ListedProject,
  listKeys,
  listProjectsAcrossProjects,
  raiseConfigVersion,
} from "./store.ts";
