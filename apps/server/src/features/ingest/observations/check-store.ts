import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deliveryKey, sameDelivery } from "../../deliveries/public.ts";
import { sameSlot } from "../../push/sending/public.ts";

/** Deliveries and slots that differ from what devices reported, and conversions before their engagement. */
export const countReportDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
      select from ${t.pushSlots} s
      where (s.receipt_at is not null) <> exists (
        select from ${t.pushObservations} o where ${sameSlot("o", "s")}
      )
      union all
      select from ${t.deliveries} d
      join ${t.campaigns} c on c.id = d.campaign_id and c.channel = 'push'
      left join (
        select ${deliveryKey()}, count(receipt_at) as receipts from ${t.pushSlots} where not is_test group by ${deliveryKey()}
      ) s on ${sameDelivery("s", "d")}
      left join ${t.pushEngagements} e on ${sameDelivery("e", "d")}
      left join ${t.pushConversions} v on ${sameDelivery("v", "d")}
      where (d.delivered_at is not null) <> (coalesce(s.receipts, 0) > 0) or d.clicked_at is distinct from e.engaged_at
        or d.converted_at is distinct from v.converted_at or v.engagement_id <> e.id
        or v.converted_order <= e.engaged_order or v.converted_at < e.engaged_at
      union all
      select from ${t.pushEngagements} e
      where not exists (
        select from ${t.deliveries} d where ${sameDelivery("d", "e")}
      )
      union all
      select from ${t.pushConversions} v
      where not exists (
        select from ${t.pushEngagements} e where ${sameDelivery("e", "v")}
      )`,
  );

/** Bindings, of users who exist, with a gap in the sequence of their commands. */
export const countGapsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select lane, user_key from ${t.pushObservations} group by lane, user_key, installation_key, binding_generation
      having count(*) <> max(sequence) or min(sequence) <> 1
    ) o
    where exists (select from ${t.users} u where u.lane = o.lane and u.user_key = o.user_key)`,
  );
