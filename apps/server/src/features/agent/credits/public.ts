export { creditsUsed } from "./store.ts";
