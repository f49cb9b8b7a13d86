export { canonicalJson, fingerprint } from "./fingerprint.ts";
