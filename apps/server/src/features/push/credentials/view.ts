import { apiId } from "../../../domain/ids.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { readSigningKey } from "../providers/public.ts";
import type { PushCredential } from "../providers/schema.ts";
import type { PushCredentialView } from "./schema.ts";
import type { CredentialRow } from "./store.ts";

export const viewOf = ({ id, ...row }: CredentialRow): PushCredentialView => ({
  id: apiId("cred", id),
  ...row,
  validation: "local_valid",
});

/** Tests whether the key of a credential in a request can sign. @throws ApiError that names the field and repeats nothing of it */
export async function requireSigningKey(credential: PushCredential): Promise<void> {
  const key = await readSigningKey(credential);
  if ("fault" in key) throw new ApiError("invalid_request", `credential.privateKey ${key.fault}`);
}
