export { eraseUserRow, holdUser } from "./erase-store.ts";
export { requireUser } from "./require-user.ts";
export { findUser, insertMissingUsersCte, upsertSeenUsersCte } from "./store.ts";
