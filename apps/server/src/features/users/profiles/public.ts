export { type Brought, type BroughtUser, bringUsers, findBrought } from "./bring-users.ts";
export { eraseUserRow, lockUser } from "./erase-store.ts";
export { addressees } from "./find/find-users.ts";
export { IDENTITY_LOOK_ALIKES, PERSON_NAMES, TRAIT_NAMES } from "./look-alikes.ts";
export { mergeUser, TooManyTraits } from "./merge.ts";
export { findNamedUser, requireUser } from "./require-user.ts";
export {
  confirmAddressesCtes,
  findUser,
  findUsersByAddress,
  insertMissingUsersCte,
  isServersUser,
  toEndUser,
  type UserFilter,
  type UserRow,
  upsertSeenUsersCte,
  userConditions,
} from "./store.ts";
