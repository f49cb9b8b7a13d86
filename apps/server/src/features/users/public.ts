export { eraseUserRow, holdUser } from "./erase-store.ts";
export { requireUser } from "./require-user.ts";
export { insertMissingUsersCte, upsertSeenUsersCte } from "./store.ts";
