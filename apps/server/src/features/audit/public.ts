export { insertEntry } from "./store.ts";
