import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { sameDelivery } from "../deliveries/public.ts";

/** Data of no mail that was requested, and files of no mail whose data names so many. */
export const countOrphanDataAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.sendData} r
    where not exists (
      select from ${t.emailSends} s join ${t.campaigns} c on c.id = s.campaign_id and c.purpose = 'transactional'
      where ${sameDelivery("s", "r")} and s.project_id = r.project_id
    )
    union all
    select from ${t.sendFiles} f
    where not exists (
      select from ${t.sendData} r
      where ${sameDelivery("r", "f")} and r.project_id = f.project_id and f.ordinal < (r.request ->> 'files')::int4
    )`,
  );
