import type { Feature } from "../../../platform/feature.ts";
import { listPushCredentials } from "./list-push-credentials.ts";
import { putPushCredential } from "./put-push-credential.ts";
import { validatePushCredential } from "./validate-push-credential.ts";

export const pushCredentials: Feature = {
  endpoints: [putPushCredential, listPushCredentials, validatePushCredential],
};
