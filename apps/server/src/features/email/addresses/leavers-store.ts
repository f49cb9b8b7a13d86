import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isOfKindSql } from "../../users/identities/public.ts";
import type { AddressRef } from "./address-ref.ts";
import { isSuppressedSql } from "./streams-store.ts";

/** So many users are looked at. */
const MOST_USERS = 200;

/** Texts that say no, or nothing. Whatever else stands there says yes, or since when. */
const NO_TEXTS = ["", "false", "f", "no", "n", "0", "null", "none", "never"];

/** Addresses of some users whose trait says yes, or since when, as they are written. */
export async function findAddressesSaying(db: Db, projectId: string, trait: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select traits ->> 'email' as address from ${t.users} u
    where project_id = ${projectId} and ${isOfKindSql("u", "users")} and jsonb_typeof(traits -> 'email') = 'string'
      and jsonb_typeof(traits -> ${trait}::text) in ('boolean', 'string', 'number')
      and lower(traits ->> ${trait}::text) <> all(${NO_TEXTS}::text[])
    limit ${MOST_USERS}`.execute(db);
  return rows.map(({ address }) => address);
}

/** Whether one of some addresses takes mail of the project. */
export async function findTakingMail(
  db: Db,
  projectId: string,
  addresses: readonly AddressRef[],
): Promise<boolean> {
  if (addresses.length === 0) return false;
  const { rows } = await sql<{ takes: boolean }>`
    select exists (
      select from unnest(
        ${addresses.map(({ lane }) => lane)}::int2[], ${addresses.map(({ addressKey }) => addressKey)}::uuid[]
      ) i (lane, address_key)
      where not exists (
        select from ${t.emailAddresses} a
        where a.lane = i.lane and a.address_key = i.address_key and a.project_id = ${projectId} and ${isSuppressedSql("a")}
      )
    ) as takes`.execute(db);
  return rows[0]?.takes ?? false;
}
