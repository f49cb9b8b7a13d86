import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { sqlText } from "../../platform/db/statements/sql-text.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { COUNTERS, RECOUNTS } from "./counters-store.ts";
import { sameCampaign } from "./key-store.ts";

/** Campaigns, variants and lanes whose counters differ from their deliveries. */
export function countStatsDifferencesAcrossProjects(db: Db): Promise<number> {
  const columns = (table: string): string =>
    COUNTERS.map((name) => `coalesce(${table}.${name}, 0)`).join(", ");
  return countDifferences(
    db,
    sqlText(`
    select from (select lane, campaign_id, variant_id, ${RECOUNTS} from ${t.deliveries} group by 1, 2, 3) counted
    full join ${t.campaignStats} kept using (lane, campaign_id, variant_id)
    where (${columns("counted")}) is distinct from (${columns("kept")})`),
  );
}

/**
 * Deliveries that contradict themselves: resolved without exposure or before it, converted before it, open though resolved, or
 * reported as delivered and not delivered.
 */
export const countBrokenDeliveriesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.deliveries} d
    where (d.exposed_at is null and coalesce(d.opened_at, d.clicked_at, d.dismissed_at, d.converted_at) is not null)
      or d.converted_at < d.exposed_at or d.dismissed_at < d.exposed_at
      or (d.delivered_reported_at is not null and d.delivered_at is null)
      or (d.state = 'queued' and d.shown_at is not null)
      or (d.state = 'shown' and coalesce(d.clicked_at, d.dismissed_at, d.converted_at) is not null)`,
  );

/** Deliveries in a state whose instant is missing. */
export function countStatesWithoutInstantAcrossProjects(db: Db): Promise<number> {
  const instants = COUNTERS.filter((name) => name !== "frequency_capped");
  return countDifferences(
    db,
    sqlText(`
    select from ${t.deliveries}
    where case state ${instants.map((name) => `when '${name}' then ${name}_at is null`).join(" ")} else false end`),
  );
}

/** Deliveries whose user neither exists nor was erased, and is no visitor who became a user. */
export const countOrphanDeliveriesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.deliveries} d
    where not exists (
      select from ${t.users} u where u.lane = d.lane and u.user_key = d.user_key and u.project_id = d.project_id
    ) and not exists (
      select from ${t.erasedUsers} g where g.lane = d.lane and g.user_key = d.user_key and g.project_id = d.project_id
    ) and not exists (
      select from ${t.identities} l where l.lane = d.lane and l.user_key = d.user_key and l.project_id = d.project_id
    )`,
  );

/** Deliveries whose campaign and variant do not exist together in the same project. */
export const countStrangeDeliveriesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.deliveries} d
    where not exists (
      select from ${t.variants} v where v.id = d.variant_id and v.campaign_id = d.campaign_id and v.project_id = d.project_id
    )`,
  );

/**
 * Withheld deliveries whose user neither exists nor was erased, and is no visitor who became a user; whose epoch has no holdout, or who have a delivery of the campaign too.
 */
export const countStrangeWithheldAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.withheldDeliveries} w
    where not exists (
      select from ${t.users} u where u.lane = w.lane and u.user_key = w.user_key and u.project_id = w.project_id
      union all
      select from ${t.erasedUsers} g where g.lane = w.lane and g.user_key = w.user_key and g.project_id = w.project_id
      union all
      select from ${t.identities} l where l.lane = w.lane and l.user_key = w.user_key and l.project_id = w.project_id
    ) or not exists (
      select from ${t.allocations} a
      where a.campaign_id = w.campaign_id and a.epoch = w.epoch and a.project_id = w.project_id and a.holdout_percent > 0
    ) or exists (
      select from ${t.deliveries} d where ${sameCampaign("d", "w")}
    )`,
  );

/** Deliveries of a variant that had no weight in the epoch in which they were decided. */
export const countUnweightedDeliveriesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.deliveries} d
    left join ${t.allocations} a on a.campaign_id = d.campaign_id and a.epoch = d.epoch and a.variant_id = d.variant_id
    where d.epoch <> 0 and coalesce(a.weight, 0) = 0`,
  );

/** Frozen events of a user who was not erased, or who has no delivery, not even a withheld one, and no entry into a journey, that they could have converted. */
export const countIdleFrozenEventsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.frozenEvents} f
    where not exists (
      select from ${t.erasedUsers} g where g.lane = f.lane and g.user_key = f.user_key and g.project_id = f.project_id
    ) or not exists (
      select from ${t.deliveries} d where d.lane = f.lane and d.user_key = f.user_key and d.queued_at <= f.last_at
      union all
      select from ${t.withheldDeliveries} w where w.lane = f.lane and w.user_key = f.user_key and w.withheld_at <= f.last_at
      union all
      select from ${t.unseenDeliveries} n where n.lane = f.lane and n.user_key = f.user_key and n.queued_at <= f.last_at
      union all
      select from ${t.journeyEntries} e where e.lane = f.lane and e.user_key = f.user_key and e.entered_at <= f.last_at and e.arm is not null
    )`,
  );
