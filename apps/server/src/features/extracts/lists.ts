import { deliveries } from "./extract-deliveries.ts";
import { events } from "./extract-events.ts";
import { runs } from "./extract-runs.ts";
import { sends } from "./extract-sends.ts";
import { suppressions } from "./extract-suppressions.ts";
import { users } from "./extract-users.ts";
import type { List } from "./list.ts";

/** Every list that can be taken out. */
export const lists: readonly List[] = [users, events, deliveries, sends, suppressions, runs];
