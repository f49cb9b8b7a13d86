export { countMedia } from "./store.ts";
