import { deliveryExtract } from "./extract-deliveries.ts";
import { eventExtract } from "./extract-events.ts";
import { identityExtract } from "./extract-identities.ts";
import { runExtract } from "./extract-runs.ts";
import { sends } from "./extract-sends.ts";
import { suppressions } from "./extract-suppressions.ts";
import { userExtract } from "./extract-users.ts";
import type { List } from "./list.ts";

/** Every list that can be taken out. */
export const lists: readonly List[] = [
  userExtract,
  identityExtract,
  eventExtract,
  deliveryExtract,
  sends,
  suppressions,
  runExtract,
];
