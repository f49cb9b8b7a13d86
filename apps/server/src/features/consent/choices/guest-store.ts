import { type RawBuilder, sql } from "kysely";
import type { DeliveryKey } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isCampaignOf } from "../../deliveries/public.ts";
import type { AddressRef } from "../../email/addresses/public.ts";
import { addressSql, mayHaveAddressSql } from "../../users/profiles/public.ts";

/** SQL: only an address is known of the user `u`: they are a guest. */
export const isGuestSql = (u: string): SqlText => sqlText(`(${u}.external_id like 'mailto:%')`);

/** SQL: a user who is no guest has the address of the guest `u`. False for who is no guest. */
export const hasUserSql = (
  projectId: string,
): RawBuilder<boolean> => sql<boolean>`(${isGuestSql("u")} and exists (
  select from ${t.users} x
  where x.project_id = ${projectId} and ${mayHaveAddressSql("x")} and ${addressSql("x")} = ${addressSql("u")}
    and not ${isGuestSql("x")}
))`;

/**
 * Which of some addresses have had a campaign (UUID) as guests. The key of a guest is that of their address, so that it is looked up in one place.
 */
export const findHadAsGuest = rowsStatement<
  AddressRef & Pick<DeliveryKey, "campaignId"> & { projectId: string },
  { address_key: string }
>(
  { name: "find_had_as_guest", reach: "key" },
  { lane: "int2", addressKey: "uuid", campaignId: "uuid", projectId: "uuid" },
  ` select i.address_key from input i
  where exists (
    select from ${t.deliveries} d
    where d.lane = i.lane and d.user_key = i.address_key and d.campaign_id = i.campaign_id and d.project_id = i.project_id
  )`,
);

/** Whether a user who is no guest has an address, without a lock. */
export async function readHasUser(db: Db, projectId: string, address: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from ${t.users} x
      where x.project_id = ${projectId} and ${mayHaveAddressSql("x")}
        and ${addressSql("x")} = ${address.toLowerCase()} and not ${isGuestSql("x")}
    ) as has`.execute(db);
  return rows[0]?.has ?? false;
}

/** Whether an address has had a campaign (UUID) as a guest. */
export async function readHadAsGuest(
  db: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  campaignId: string,
): Promise<boolean> {
  const { rows } = await sql<{ had: boolean }>`
    select exists (
      select from ${t.deliveries} d where ${isCampaignOf("d", "i", campaignId)} and d.project_id = ${projectId}
    ) as had
    from (select ${lane}::int2 as lane, ${addressKey}::uuid as user_key) i`.execute(db);
  return rows[0]?.had ?? false;
}
