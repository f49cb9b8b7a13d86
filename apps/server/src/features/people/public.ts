export { firstLink } from "./links/first-link.ts";
export {
  assertMayReachUsers,
  isBelowLaunchRole,
  LaunchRoleRefusal,
  roleOf,
} from "./reaching-users.ts";
export { personOrigin } from "./sign-in/origin.ts";
export { recogniser } from "./sign-in/recognise.ts";
export { listOwnerAddresses, listProjectsOfPerson } from "./store.ts";
