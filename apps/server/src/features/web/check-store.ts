import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { sameDelivery } from "../deliveries/public.ts";

/** Receipts without their delivery, or whose delivery lacks the acknowledged event. */
export const countOrphanReceiptsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.feedbackReceipts} r
    left join ${t.deliveries} d on ${sameDelivery("d", "r")}
    where case r.type
      when 'shown' then d.shown_at when 'clicked' then d.clicked_at when 'dismissed' then d.dismissed_at else d.converted_at
    end is null`,
  );
