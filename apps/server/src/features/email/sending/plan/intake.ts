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
  const { hotPool, kysely } = app.database;
  const given = planned.flatMap(({ addressGivenAt }) =>
    addressGivenAt === null ? [] : [hourOf(addressGivenAt)],
  );
  if (given.length === 0) {
    // A transaction waits for locked users; a single statement of this pool would time out.
    const [row] = await inTransaction(hotPool, (client) => queue(client, planned));
    return { unconfirmed: 0, again: row?.reached !== planned.length };
  }
  const perHour = await readNumber(kysely, projectId, perimeterSettings, "identity.newAddressesPerHour");
  return inTransaction(hotPool, async (client) => {
    const taken = await lockIntakes(client, projectId, [...new Set(given)]);
    const chosen = takeUp(
      planned,
      ({ addressGivenAt: at }) => (at === null ? null : hourOf(at)),
      taken,
      perHour,
    );
    const [row] = chosen.length > 0 ? await queue(client, chosen) : [{ reached: 0 }];
    return { unconfirmed: planned.length - chosen.length, again: row?.reached !== chosen.length };
  });
}
