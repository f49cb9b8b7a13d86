export { lookAfter } from "./look-after.ts";
