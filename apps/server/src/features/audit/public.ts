export { namesIn } from "./names-in.ts";
export { findAuthors, insertEntry } from "./store.ts";
