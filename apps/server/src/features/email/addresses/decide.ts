import type { Db } from "../../../platform/db/db.ts";
import { addressRef } from "./address-ref.ts";
import { insertSuppressionChange, lockSuppression } from "./decide-store.ts";
import type { SuppressionReason } from "./rules.ts";
import { allowAddress, suppressAddress } from "./stop-store.ts";

/** By whom (for the log, 1 to 80 characters) and when (epoch milliseconds) an address is suppressed or allowed. */
export type AddressDecision = { by: string; at: number };

const BY_HAND: SuppressionReason = "manual";

/**
 * Suppresses or allows an address because a person decided so, both the mail of campaigns and receipts, and logs the decision. Answers why it
 * was suppressed before, null where it was not, and whether this changed anything. Needs a transaction.
 * @param address in the form that `parseAddress` answers
 */
export async function decideSuppression(
  tx: Db,
  projectId: string,
  address: string,
  verdict: "suppress" | "allow",
  { by, at }: AddressDecision,
): Promise<{ before: string | null; changed: boolean }> {
  const ref = addressRef(projectId, address);
  const before = await lockSuppression(tx, projectId, ref);
  const changed =
    verdict === "allow"
      ? await allowAddress(tx, projectId, ref, { at })
      : await suppressAddress(tx, projectId, ref, { reason: BY_HAND, at, address });
  const after = verdict === "allow" ? null : BY_HAND;
  if (changed) await insertSuppressionChange(tx, projectId, ref, { before, after, by, at });
  return { before, changed };
}
