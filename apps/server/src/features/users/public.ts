export { insertMissingUsersCte, upsertSeenUsersCte } from "./store.ts";
