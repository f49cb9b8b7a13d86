import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Addresses whose row has another key than `addressRef` computes. */
export const countMisplacedAddressesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.emailAddresses}
    where address is not null and uuid_send(address_key) <> substring(
      sha256(convert_to(project_id::text, 'UTF8') || '\\x00' || convert_to('mailto:' || lower(address), 'UTF8')) for 16
    )`,
  );

/** Addresses that bounced, or that people stopped, of which one stream only is stopped: these reasons are about the address itself. */
export const countHalfStopsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.emailAddresses}
    where (suppressed_by in ('bounced', 'manual') and receipts_stopped_at is null)
      or (receipts_stopped_by in ('bounced', 'manual') and suppressed_at is null)`,
  );

/**
 * Addresses that are suppressed without a reason, or have a reason and are not, or are allowed against the last decision that was logged. A recipient who
 * unsubscribed elsewhere, as a file says, may subscribe again. */
export const countSuppressionDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.emailAddresses} a
    full join (
      select distinct on (lane, address_key) lane, address_key, after from ${t.suppressionChanges}
      order by lane, address_key, id desc
    ) last using (lane, address_key)
    where (a.suppressed_at is null) <> (a.suppressed_by is null) or (last.after <> 'unsubscribed' and a.suppressed_at is null)`,
  );
