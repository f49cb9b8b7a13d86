export { authenticator } from "./authenticate.ts";
export { identitySealedAs, newIdentitySecret, openIdentitySecret, sealIdentitySecret } from "./identity.ts";
export { findIdentitySecret, replaceIdentitySecret } from "./identity-store.ts";
export { createProject, type ProjectKeys, rotateKey } from "./projects.ts";
export {
  type ListedProject,
  listProjectsAcrossProjects,
  raiseConfigVersion,
  renameProject,
} from "./store.ts";
