import { arrivalTable } from "./arrivals.ts";
import { deliveryTable } from "./extract-deliveries.ts";
import { identityTable } from "./extract-identities.ts";
import { runTable } from "./extract-runs.ts";
import { sendTable } from "./extract-sends.ts";
import { suppressionTable } from "./extract-suppressions.ts";
import { userTable } from "./extract-users.ts";
import { partsOf, type WriteParts } from "./table.ts";

/** What writes each list as files, one after the other: `events` by when they arrived, all others whole. */
export const writers = {
  events: partsOf(arrivalTable),
  users: partsOf(userTable),
  identities: partsOf(identityTable),
  deliveries: partsOf(deliveryTable),
  sends: partsOf(sendTable),
  suppressions: partsOf(suppressionTable),
  runs: partsOf(runTable),
} as const satisfies Readonly<Record<string, WriteParts>>;
