import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { Fragment, Relation } from "../../platform/db/statements/fragment.ts";
import { sqlText } from "../../platform/db/statements/sql-text.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { INSTANT_EVENTS } from "./lifecycle/rules.ts";

/** Counters of a campaign: one for each event that has an instant, and one for a state that has none. */
export const COUNTERS = [...INSTANT_EVENTS, "frequency_capped"] as const;
export type Counter = (typeof COUNTERS)[number];

/**
 * CTE that changes the counters of campaigns by the sums of `source`, which has a column per counter (0, 1, or -1 for a reverted
 * event). A statement updates a counter row at most once.
 */
export const tallyCte = <Counted extends Counter>(
  source: Relation<"lane" | "campaign_id" | "variant_id" | "project_id" | Counted>,
  counters: readonly Counted[],
): Fragment => ({
  ctes: sqlText(`
  tallied as (
    insert into ${t.campaignStats} as s (lane, campaign_id, variant_id, project_id, ${counters.join(", ")})
    select lane, campaign_id, variant_id, project_id, ${counters.map((name) => `sum(${name})`).join(", ")}
    from ${source}
    group by 1, 2, 3, 4 having ${counters.map((name) => `sum(${name}) <> 0`).join(" or ")}
    order by 1, 2, 3
    on conflict (lane, campaign_id, variant_id) do update
      set ${counters.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")}
  )`),
});

/** The columns of a select over deliveries that recounts each counter. */
export const RECOUNTS = sqlText(
  COUNTERS.map((name) =>
    name === "frequency_capped"
      ? `count(*) filter (where state = 'frequency_capped') as ${name}`
      : `count(${name}_at) as ${name}`,
  ).join(", "),
);

/** Counts the deliveries of a project that has no counters yet. */
export async function recountStats(tx: Db, projectId: string): Promise<void> {
  await sql`
    insert into ${t.campaignStats} (lane, campaign_id, variant_id, project_id, ${sql.raw(COUNTERS.join(", "))})
    select lane, campaign_id, variant_id, project_id, ${RECOUNTS}
    from ${t.deliveries} where project_id = ${projectId} group by 1, 2, 3, 4`.execute(tx);
}
