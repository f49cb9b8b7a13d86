export { readReach } from "./read-setup.ts";
