import type { Db } from "../../../platform/db/db.ts";
import { type ConsentProof, logConsents, ofAddress } from "../../consent/choices/public.ts";
import { type AddressRef, allowAddress } from "../addresses/public.ts";

/**
 * Lets mail to an address leave again whose owner had unsubscribed from everything and wants it now, and logs that. False, and without effect, for an
 * address that was stopped for another reason. Needs a transaction.
 */
export async function resumeMail(
  tx: Db,
  projectId: string,
  address: AddressRef,
  proof: ConsentProof,
): Promise<boolean> {
  const lifting = { at: proof.at, reason: "unsubscribed" } as const;
  if (!(await allowAddress(tx, projectId, address, lifting))) return false;
  await logConsents(tx, projectId, ofAddress(address), [{ topicId: null, action: "joined" }], proof);
  return true;
}
