export { creditsUsed, usageOfMonth } from "./store.ts";
