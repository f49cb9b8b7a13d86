export { keepCredential } from "./put-push-credential.ts";
export {
  boundTo as credentialSealedAs,
  listUsableCredentials,
  readCredential,
  type UsableCredential,
} from "./read.ts";
export { reportRefusals } from "./refusal-faults.ts";
export {
  type Acceptance,
  claimProbes,
  countRefusedAcrossProjects,
  listRefused,
  markAcceptances,
  markRefusals,
  type RefusalMark,
} from "./standing-store.ts";
