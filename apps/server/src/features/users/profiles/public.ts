export { adoptProfile, joinVisitor, lockPair, recountJoined } from "./adopt-store.ts";
export { type Brought, type BroughtUser, bringUsers, findBrought } from "./bring-users.ts";
export { eraseUserRow, lockUser } from "./erase-store.ts";
export { addressSql, findUsersByAddress, mayHaveAddressSql } from "./find/address-store.ts";
export { addressees } from "./find/find-users.ts";
export { IDENTITY_LOOK_ALIKES, PERSON_NAMES, TRAIT_NAMES } from "./look-alikes.ts";
export { keepUser, meetUser } from "./meet-store.ts";
export { mergeUser, TooManyTraits } from "./merge.ts";
export { findNamedUser, requireUser } from "./require-user.ts";
export {
  confirmAddressesCtes,
  type EndUserRow,
  findUser,
  insertMissingUsersCte,
  isServersUser,
  seeAgain,
  toEndUser,
  type UserFilter,
  upsertSeenUsersCte,
  userConditions,
} from "./store.ts";
