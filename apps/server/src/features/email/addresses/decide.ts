import type { Db } from "../../../platform/db/db.ts";
import { addressRef } from "./address-ref.ts";
import { holdSuppression, insertSuppressionChange } from "./decide-store.ts";
import type { SuppressionReason } from "./rules.ts";
import { allowAddress, suppressAddress } from "./store.ts";

/** Who decides about an address, for the log (1 to 80 characters), and when (epoch milliseconds). */
export type Decision = { by: string; at: number };

const BY_HAND: SuppressionReason = "manual";

/**
 * Stops mail to an address, or lets it leave again, because a person said so, and writes down who. Answers why nothing left for it
 * before, null where mail did, and whether anything is different now. Needs a transaction.
 * @param address in the form that `parseAddress` answers
 */
export async function decideSuppression(
  tx: Db,
  projectId: string,
  address: string,
  verdict: "suppress" | "allow",
  { by, at }: Decision,
): Promise<{ before: string | null; changed: boolean }> {
  const ref = addressRef(projectId, address);
  const before = await holdSuppression(tx, projectId, ref);
  const changed =
    verdict === "allow"
      ? await allowAddress(tx, projectId, ref)
      : await suppressAddress(tx, projectId, ref, { reason: BY_HAND, at, address });
  const after = verdict === "allow" ? null : BY_HAND;
  if (changed) await insertSuppressionChange(tx, projectId, ref, { before, after, by, at });
  return { before, changed };
}
