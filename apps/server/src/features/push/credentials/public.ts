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
  noteAcceptances,
  noteRefusals,
  type RefusalNote,
} from "./standing-store.ts";
