import type { Feature } from "../../../domain/feature.ts";
import { getPushKey } from "./get-push-key.ts";
import { listPushCredentials } from "./list-push-credentials.ts";
import { putPushCredential } from "./put-push-credential.ts";
import { tables } from "./tables.pure.ts";
import { validatePushCredential } from "./validate-push-credential.ts";

export const pushCredentials: Feature = {
  room: "push/credentials",
  tables,
  endpoints: [putPushCredential, listPushCredentials, validatePushCredential, getPushKey],
};
