import { inTransaction } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { addressRef, parseAddress, type Stop, suppressKnownAddresses } from "../addresses/public.ts";
import type { StopReason } from "./effects.pure.ts";

/** What a provider says of an address without a message. `at` is epoch milliseconds by the provider's clock. */
export type AddressReport = { address: string; reason: StopReason; at: number };

/**
 * Stops mail to addresses that the project's mail has left for; others are left out. A complaint that names no mail is one about campaigns:
 * a recipient who waits for a receipt must not lose it by a guess. A report from before mail to the address was allowed
 * again changes nothing.
 */
export async function stopAddresses(
  app: App,
  projectId: string,
  reports: readonly AddressReport[],
  now: number,
): Promise<void> {
  const stops = reports.flatMap(({ address, reason, at }): Stop[] => {
    const mailbox = parseAddress(address);
    if (mailbox === null) return [];
    const reportedAt = Math.min(Math.max(at, 0), now);
    return [
      {
        ...addressRef(projectId, mailbox.address),
        projectId,
        reason,
        stream: "campaigns",
        at: now,
        notAllowedSince: reportedAt,
      },
    ];
  });
  if (stops.length > 0)
    await inTransaction(app.database.pool, (client) => suppressKnownAddresses(client, stops));
}
