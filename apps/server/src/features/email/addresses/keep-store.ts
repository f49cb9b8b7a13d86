import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "./address-ref.ts";

/** Keeps the row of an address until the transaction ends, with the address, so that no mail is leased meanwhile. */
export async function keepAddress(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  address: string | null,
): Promise<void> {
  await sql`
    insert into ${t.emailAddresses} as a (lane, address_key, project_id, address)
    values (${lane}, ${addressKey}, ${projectId}, ${address})
    on conflict (lane, address_key) do update set address = coalesce(a.address, excluded.address)`.execute(
    tx,
  );
}
