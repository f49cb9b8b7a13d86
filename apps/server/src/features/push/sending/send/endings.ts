import { type DeliveryRef, deliveryRef, deliveryText } from "../../../../domain/ids.ts";
import type { Connection } from "../../../../platform/db/db.ts";
import { lockDeliveries, recordDeliveryEvents } from "../../../deliveries/public.ts";
import { findFailed } from "./outcome-store.ts";

/** A slot that has just ended without being accepted, and what that makes of its delivery. `at` is epoch milliseconds. */
type Ended = DeliveryRef & { at: number; event: "failed" | "withdrawn" };

/** Records deliveries as failed or withdrawn where no device has the push, may have it, or can still get it. Needs the lock on the ended slots. */
export async function recordEndings(client: Connection, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const at = Math.max(...ended.map((each) => each.at));
  const rows = ended.map(deliveryRef);
  // Two transactions may each end one of a user's last two slots. The second one waits here for the lock, so that its next statement
  // sees what the first has committed.
  await lockDeliveries(client, rows);
  const failed = await findFailed(client, rows);
  if (failed.length === 0) return;
  const withdrawn = new Set(
    ended.flatMap((each) => (each.event === "withdrawn" ? [deliveryText(each)] : [])),
  );
  await recordDeliveryEvents(
    client,
    failed.map((each) => {
      const event = withdrawn.has(deliveryText(each)) ? ("withdrawn" as const) : ("failed" as const);
      return { ...each, event, at, period: null };
    }),
  );
}
