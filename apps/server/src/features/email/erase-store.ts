import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";
import { insertErasedMessages, type MessageKey } from "./erased-messages-store.ts";

type HeldSend = { campaignId: string; addressLane: number | null; addressKey: string | null };

/** Holds a user's sends until the transaction ends; answers where each one went. */
async function holdSends(tx: Db, theirs: RawBuilder<unknown>): Promise<HeldSend[]> {
  const { rows } = await sql<HeldSend>`
    select campaign_id as "campaignId", address_lane as "addressLane", address_key as "addressKey"
    from email_sends where ${theirs} order by campaign_id for update`.execute(tx);
  return rows;
}

/**
 * Forgets the addresses of a user's sends, of which the hash stays: a suppression outlives its user. An address that mail went to for
 * somebody else who is there, too, is not theirs alone, and stays. Answers the addresses.
 */
async function forgetAddresses(
  tx: Db,
  projectId: string,
  user: UserRef,
  sends: readonly HeldSend[],
): Promise<string[]> {
  const keys = [...new Set(sends.flatMap(({ addressKey }) => addressKey ?? []))];
  const lanes = [...new Set(sends.flatMap(({ addressLane }) => addressLane ?? []))];
  if (keys.length === 0) return [];
  const { rows } = await sql<{ address: string }>`
    select address from email_addresses a
    where a.lane = any(${lanes}::int2[]) and a.address_key = any(${keys}::uuid[]) and a.project_id = ${projectId}
      and address is not null
    order by a.lane, a.address_key for no key update`.execute(tx);
  await sql`
    update email_addresses a set address = null
    where a.lane = any(${lanes}::int2[]) and a.address_key = any(${keys}::uuid[]) and a.project_id = ${projectId}
      and not exists (
        select from email_sends s join users u on u.lane = s.lane and u.user_key = s.user_key
        where s.address_lane = a.lane and s.address_key = a.address_key and s.project_id = a.project_id
          and s.user_key <> ${user.userKey}
      )`.execute(tx);
  return rows.map(({ address }) => address);
}

/**
 * Hands a user's sends to another row of the same lane, without a word of who they were for. What is on the wire keeps the key under
 * which its outcome will come, until then. Comes before their deliveries are moved.
 * @param messageKeyOf under which key a message is still found by whoever has it
 * @returns the addresses they went to
 */
export async function moveSends(
  tx: Db,
  projectId: string,
  from: UserRef,
  to: UserRef,
  messageKeyOf: (userKey: string, campaignId: string) => MessageKey,
): Promise<string[]> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  const sends = await holdSends(tx, theirs);
  await insertErasedMessages(
    tx,
    projectId,
    sends.flatMap(({ campaignId, addressLane, addressKey }) =>
      addressLane === null || addressKey === null
        ? []
        : [{ ...messageKeyOf(from.userKey, campaignId), addressLane, addressKey }],
    ),
  );
  const addresses = await forgetAddresses(tx, projectId, from, sends);
  await sql`
    update email_sends
    set user_key = ${to.userKey}, reason = null, moved_from = case when status = 'sending' then user_key end
    where ${theirs}`.execute(tx);
  await sql`update email_attempts set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  await sql`update email_outcomes set user_key = ${to.userKey}, response = null where ${theirs}`.execute(tx);
  await sql`update email_resends set user_key = ${to.userKey} where ${theirs}`.execute(tx);
  return addresses;
}
