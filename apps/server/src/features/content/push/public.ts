export { fingerprint, sortedJson } from "./fingerprint.ts";
