export { findAuthors, insertEntry } from "./store.ts";
