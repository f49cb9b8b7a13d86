import { deliveryRef } from "../../../../domain/ids.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import type { App } from "../../../../platform/runtime.ts";
import { perimeterSettings } from "../../../access/perimeter/settings.pure.ts";
import { readNumber } from "../../../settings/public.ts";
import { hourOf, takeUp } from "../rules.ts";
import { insertSends, type LaterSend, lockIntakes, type NewSend, postponeNewSends } from "./plan-store.ts";

/** A message to queue, and when it leaves where that is later. */
export type PlannedSend = NewSend & { later: Pick<LaterSend, "dueAt" | "postponedBy"> | null };

/** Queues messages, and postpones those that leave later. */
async function queue(client: Connection, planned: readonly PlannedSend[]): Promise<{ reached: number }[]> {
  const inserted = await insertSends(client, planned);
  const later = planned.flatMap(({ later: when, now, ...each }) =>
    when === null ? [] : [{ ...deliveryRef(each), ...when, now }],
  );
  if (later.length > 0) await postponeNewSends(client, later);
  return inserted;
}

/**
 * Queues messages, and answers how many were left out because their address is not confirmed, and whether others have to be looked at
 * again: their campaign was paused or changed, or they were. Of the addresses that publishable keys
 * gave within an hour, a project confirms at most `identity.newAddressesPerHour`; the others wait until the customer's server names
 * them. So a public key, which anyone can read, cannot make the project write to any number of strangers.
 */
export async function writeSends(
  app: App,
  projectId: string,
  planned: readonly PlannedSend[],
): Promise<{ unconfirmed: number; again: boolean }> {
  const perHour = await readIntake(app, projectId, planned);
  // A transaction waits for locked users; a single statement of this pool would time out.
  return inTransaction(app.database.hotPool, (client) => writeSendsIn(client, projectId, planned, perHour));
}

/** The hours in which publishable keys gave the addresses of some messages, each once. */
const hoursOf = (planned: readonly PlannedSend[]): number[] => [
  ...new Set(planned.flatMap(({ addressGivenAt: at }) => (at === null ? [] : [hourOf(at)]))),
];

/** How many new addresses of one hour the project confirms; not read where no message has such an address. */
export async function readIntake(
  app: App,
  projectId: string,
  planned: readonly PlannedSend[],
): Promise<number> {
  if (hoursOf(planned).length === 0) return 0;
  return readNumber(app.database.kysely, projectId, perimeterSettings, "identity.newAddressesPerHour");
}

/** The same as `writeSends`, in a transaction of the caller. `perHour` is what `readIntake` answers. */
export async function writeSendsIn(
  client: Connection,
  projectId: string,
  planned: readonly PlannedSend[],
  perHour: number,
): Promise<{ unconfirmed: number; again: boolean }> {
  const hours = hoursOf(planned);
  const chosen =
    hours.length === 0
      ? planned
      : takeUp(
          planned,
          ({ addressGivenAt: at }) => (at === null ? null : hourOf(at)),
          await lockIntakes(client, projectId, hours),
          perHour,
        );
  const [row] = chosen.length > 0 ? await queue(client, chosen) : [{ reached: 0 }];
  return { unconfirmed: planned.length - chosen.length, again: row?.reached !== chosen.length };
}
