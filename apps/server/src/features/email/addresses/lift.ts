import type { Db } from "../../../platform/db/db.ts";
import type { AddressDecision } from "./decide.ts";
import { liftReceiptsWithin, liftSuppressedWithin, type SuppressedWithin } from "./lift-store.ts";

/** Addresses that one transaction allows, so that none of them is locked for long. */
const PIECE = 500;

/**
 * Allows mail to all addresses again that were suppressed for a reason within a time, because a person decided that this was wrong; what was
 * stopped for another reason, of campaigns or of receipts, stays. Each is logged as if it had been decided alone. Answers how many it were. A
 * repeat goes on where one was cut off.
 */
export async function liftSuppressions(
  db: Db,
  projectId: string,
  chosen: SuppressedWithin,
  decision: AddressDecision,
): Promise<number> {
  let lifted = 0;
  for (const lift of [liftSuppressedWithin, liftReceiptsWithin]) {
    let since: number | null = chosen.since;
    while (since !== null) {
      // Each piece begins where the one before ended, so that what is left alone there is not read again.
      const within: SuppressedWithin = { ...chosen, since };
      const piece = await db
        .transaction()
        .execute((tx) => lift(tx, projectId, within, { ...decision, limit: PIECE }));
      lifted += piece.lifted;
      since = piece.looked < PIECE ? null : piece.last;
    }
  }
  return lifted;
}
