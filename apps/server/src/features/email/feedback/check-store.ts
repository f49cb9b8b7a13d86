import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deliveryKey, sameDelivery } from "../../deliveries/public.ts";
import { MAX_HITS } from "./rules.ts";

/** Messages whose hits are not all kept or counted, or whose instants of open and click are not those of hits by people. */
export const countHitDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.emailHitHeads} h
    left join ${t.deliveries} d on ${sameDelivery("d", "h")}
    left join (
      select ${deliveryKey()}, count(*) as hits, array_agg(at) filter (where kind = 'open' and bot is null) as opens,
        array_agg(at) filter (where kind = 'click' and bot is null) as clicks
      from ${t.emailHits} group by ${deliveryKey()}
    ) kept on ${sameDelivery("kept", "h")}
    where d.user_key is null or coalesce(kept.hits, 0) <> least(h.hits, ${MAX_HITS})
      or (h.hits <= ${MAX_HITS} and (
        (d.opened_at is null) <> (kept.opens is null) or not d.opened_at = any (kept.opens)
        or (d.clicked_at is null) <> (kept.clicks is null) or not d.clicked_at = any (kept.clicks)
      ))`,
  );
