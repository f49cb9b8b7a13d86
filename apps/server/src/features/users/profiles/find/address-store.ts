import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { isOfKindSql } from "../../identities/public.ts";

/** SQL: the address of the user `u`, in lower case and without space around it, as the index `users_of_email` has it. */
export const addressSql = (u: string): SqlText => sqlText(`lower(trim(${u}.traits ->> 'email'))`);

/**
 * SQL: the trait `email` of the user `u` may be an address, so that `users_of_email` has it. An address has at most 254 characters
 * (RFC 5321, 4.5.3.1.3), and an index of PostgreSQL refuses rows with much longer texts.
 */
export const mayHaveAddressSql = (u: string): SqlText =>
  sqlText(
    `(jsonb_typeof(${u}.traits -> 'email') = 'string' and length(trim(${u}.traits ->> 'email')) <= 254)`,
  );

/** The ids of the users who have one of these addresses (in lower case) as the trait `email`, by address. No visitors: an address that one gave says nothing of who they are. */
export async function findUsersByAddress(
  db: Db,
  projectId: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ address: string; externalId: string }>`
    select ${addressSql("u")} as address, external_id as "externalId" from ${t.users} u
    where project_id = ${projectId} and ${isOfKindSql("u", "users")} and ${mayHaveAddressSql("u")}
      and ${addressSql("u")} = any(${[...addresses]}::text[])`.execute(db);
  const found = Map.groupBy(rows, ({ address }) => address);
  return new Map([...found].map(([address, users]) => [address, users.map(({ externalId }) => externalId)]));
}
