export { eraseUserRow, lockUser } from "./erase-store.ts";
export { findNamedUser, requireUser } from "./require-user.ts";
export {
  confirmAddressesCtes,
  findUser,
  insertMissingUsersCte,
  isServersUser,
  upsertSeenUsersCte,
} from "./store.ts";
