import { type RawBuilder, sql } from "kysely";
import type { DeliveryName, UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { type AddressRef, forgetAddresses } from "../addresses/public.ts";
import { insertErasedMessages, type MessageKey } from "./erased-messages-store.ts";

type LockedSend = {
  campaignId: string;
  occasion: number;
  addressLane: number | null;
  addressKey: string | null;
};

/** Locks a user's sends until the transaction ends; answers where each one went. */
async function lockSends(tx: Db, theirs: RawBuilder<unknown>): Promise<LockedSend[]> {
  const { rows } = await sql<LockedSend>`
    select campaign_id as "campaignId", occasion, address_lane as "addressLane", address_key as "addressKey"
    from ${t.emailSends} where ${theirs} order by campaign_id, occasion for update`.execute(tx);
  return rows;
}

type Anonymising = {
  /** The key that the sends have from then on. */
  anonymised: UserRef;
  /** The key under which links and reports of an erased message are still found. */
  messageKeyOf: (delivery: DeliveryName) => MessageKey;
  /** Addresses of the user that no mail may have gone to yet. */
  own: readonly AddressRef[];
};

/**
 * Moves a user's sends to the key of an anonymised user in the same lane. A send that is in flight keeps the former key in
 * `moved_from` until its outcome is recorded under it. Call this before the deliveries are moved.
 * Answers the addresses that are forgotten with the user: those that the sends went to, and the user's own.
 * @returns the addresses that the sends went to
 */
export async function anonymizeSends(
  tx: Db,
  projectId: string,
  from: UserRef,
  { anonymised: to, messageKeyOf, own }: Anonymising,
): Promise<string[]> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  const sends = await lockSends(tx, theirs);
  await insertErasedMessages(
    tx,
    projectId,
    sends.flatMap(({ campaignId, occasion, addressLane, addressKey }) =>
      addressLane === null || addressKey === null
        ? []
        : [{ ...messageKeyOf({ userKey: from.userKey, campaignId, occasion }), addressLane, addressKey }],
    ),
  );
  const keys = sends.flatMap(({ addressLane: lane, addressKey }) =>
    lane === null || addressKey === null ? [] : [{ lane, addressKey }],
  );
  const addresses = await forgetAddresses(tx, projectId, from, [...keys, ...own]);
  // A message that was postponed, or requested for later, has no user any more to leave for: it is due, and fails, instead of being counted
  // among those that wait.
  await sql`
    update ${t.emailSends}
    set user_key = ${to.userKey}, reason = null, moved_from = case when status = 'sending' then user_key end,
      due_at = case
        when postponed_by is null and (status <> 'waiting' or attempts > 0) then due_at
        else 0
      end, postponed_by = null
    where ${theirs}`.execute(tx);
  await sql`update ${t.emailAttempts} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  await sql`update ${t.emailOutcomes} set user_key = ${to.userKey}, response = null where ${theirs}`.execute(
    tx,
  );
  await sql`update ${t.emailResends} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  return addresses;
}
