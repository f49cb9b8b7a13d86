export { eraseHits } from "./erase-store.ts";
