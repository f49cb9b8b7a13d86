import { type DeliveryRef, deliveryRef } from "../../../../domain/ids.ts";
import type { Connection } from "../../../../platform/db/db.ts";
import { lockDeliveries, recordDeliveryEvents } from "../../../deliveries/public.ts";
import { findFailed } from "./outcome-store.ts";

/** A slot that has just ended without being accepted. `at` is epoch milliseconds. */
type Ended = DeliveryRef & { at: number };

/** Records deliveries as failed where no device has the push, may have it, or can still get it. Needs the lock on the ended slots. */
export async function recordEndings(client: Connection, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const at = Math.max(...ended.map((each) => each.at));
  const rows = ended.map(deliveryRef);
  // Two transactions may each end one of a user's last two slots. The second one waits here for the lock, so that its next statement
  // sees what the first has committed.
  await lockDeliveries(client, rows);
  const failed = await findFailed(client, rows);
  if (failed.length === 0) return;
  await recordDeliveryEvents(
    client,
    failed.map((each) => ({ ...each, event: "failed" as const, at, period: null })),
  );
}
