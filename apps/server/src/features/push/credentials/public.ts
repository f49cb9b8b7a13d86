export { keepCredential } from "./put-push-credential.ts";
export {
  boundTo as credentialSealedAs,
  listUsableCredentials,
  readCredential,
  type UsableCredential,
} from "./read.ts";
