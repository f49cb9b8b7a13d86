export { eraseUserRow, lockUser } from "./erase-store.ts";
export { requireUser } from "./require-user.ts";
export {
  confirmAddressesCtes,
  findUser,
  insertMissingUsersCte,
  isServersUser,
  upsertSeenUsersCte,
} from "./store.ts";
