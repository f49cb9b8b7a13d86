export { requireUser } from "./require-user.ts";
export { insertMissingUsersCte, upsertSeenUsersCte } from "./store.ts";
