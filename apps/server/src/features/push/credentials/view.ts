import { apiId } from "../../../domain/ids.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { applicationServerKeyOf, readSigningKey } from "../providers/public.ts";
import type { GivenPushCredential, PushCredential } from "../providers/schema.ts";
import type { PushCredentialView } from "./schema.ts";
import type { CredentialRow } from "./store.ts";

/** A credential as people see it. `credential`: what is in it, null where it was sealed with another SECRET_KEY. */
export const viewOf = (
  { id, appId, platform, environment, revision }: CredentialRow,
  credential: PushCredential | null,
): PushCredentialView => ({
  id: apiId("cred", id),
  appId,
  platform,
  environment,
  revision,
  validation: "local_valid",
  applicationServerKey:
    credential?.provider === "webpush" ? applicationServerKeyOf(credential.privateKey) : null,
});

/** Tests whether the key of a credential in a request can sign. @throws ApiError that names the field and repeats nothing of it */
export async function requireSigningKey({ provider, privateKey }: GivenPushCredential): Promise<void> {
  // A key for browsers that is not given is made here.
  if (privateKey === undefined) return;
  const key = await readSigningKey({ provider, privateKey });
  if ("fault" in key) throw new ApiError("invalid_request", `credential.privateKey ${key.fault}`);
}
