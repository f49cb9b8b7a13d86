import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isPassOver } from "../../campaigns/authoring/public.ts";
import { deliveryKey } from "../../deliveries/public.ts";

/** Deliveries of email without their send, sends without their delivery, and those that say different things. */
export const countSendDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select d.* from ${t.deliveries} d join ${t.campaigns} c on c.id = d.campaign_id and c.channel = 'email'
    ) d
    full join ${t.emailSends} s using (${deliveryKey()})
    where d.variant_id is null or s.status is null
      or (s.status = 'accepted' and d.sent_at is null)
      or (s.status = 'capped') <> (d.state = 'frequency_capped') or (s.status = 'withdrawn') <> (d.state = 'withdrawn')
      or (s.status in ('sending', 'unknown') and d.state in ('queued', 'retryable', 'failed'))
      or (s.postponed_by is not null and (s.status <> 'waiting' or d.state not in ('queued', 'retryable')))`,
  );

/** Sends that lack an attempt or an outcome, or have one too many; attempts and outcomes without a send. */
export const countLedgerDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.emailSends} s
    full join (
      select ${deliveryKey()}, count(*) as attempts, sum((outcomes is null)::int) as open, sum(accepted) as accepted
      from ${t.emailAttempts}
      full join (
        select ${deliveryKey()}, ordinal, count(*) as outcomes, count(*) filter (where kind = 'accepted') as accepted
        from ${t.emailOutcomes} group by ${deliveryKey()}, ordinal
      ) o using (${deliveryKey()}, ordinal)
      group by ${deliveryKey()}
    ) t using (${deliveryKey()})
    left join (
      select ${deliveryKey()}, count(*) as resends from ${t.emailResends} group by ${deliveryKey()}
    ) r using (${deliveryKey()})
    where s.status is null or coalesce(t.attempts, 0) <> s.attempts
      or coalesce(t.open, 0) <> (s.status = 'sending' and s.begun)::int
      or coalesce(t.accepted, 0) > 1 + coalesce(r.resends, 0)`,
  );

/** Addresses whose number of campaigns' messages in flight differs from their sends. */
export const countAddressDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select s.address_lane as lane, s.address_key, count(*) as sending
      from ${t.emailSends} s join ${t.campaigns} c on c.id = s.campaign_id and c.purpose = 'marketing'
      where s.status = 'sending' group by 1, 2
    ) s
    full join (select lane, address_key, on_the_way from ${t.emailAddresses} where on_the_way <> 0) a using (lane, address_key)
    where s.sending is distinct from a.on_the_way`,
  );

/** Lanes of projects whose months of capped deliveries do not add up to the sends. */
export const countCappedDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (select lane, project_id, count(*) as deliveries from ${t.emailSends} where status = 'capped' group by 1, 2) s
    full join (
      select lane, project_id, sum(deliveries) as deliveries from ${t.emailCappedCounts} group by 1, 2
    ) c using (lane, project_id)
    where s.deliveries is distinct from c.deliveries`,
  );

/** Acceptances that an address counts towards its cap, at an instant without an outcome `accepted` or `unknown`. */
export const countInventedAcceptancesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.emailAddresses} a cross join unnest(a.accepted_at) taken (at)
    where not exists (
      select from ${t.emailOutcomes} o
      where o.project_id = a.project_id and o.at = taken.at and o.kind in ('accepted', 'unknown')
    )`,
  );

/**
 * Sweeps with an impossible cursor or of a campaign that sends no email; campaigns that have sends and no sweep, and those that ended by
 * themselves before they were through their audience, or while a message was open.
 */
export const countBrokenPlansAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (select s.* from ${t.campaignSweeps} s join ${t.campaigns} c on c.id = s.campaign_id and c.channel = 'email') p
    full join (
      -- Mail of a template is queued by requests, also before the template has a sweep, which says why nothing leaves.
      select i.campaign_id from (select distinct campaign_id from ${t.emailSends}) i
      where not exists (select from ${t.campaigns} c where c.id = i.campaign_id and c.purpose = 'transactional')
    ) s using (campaign_id)
    left join ${t.campaigns} c on c.id = p.campaign_id and c.project_id = p.project_id and c.channel = 'email'
    where c.id is null or c.status = 'draft' or (p.after_lane is null) <> (p.after_user is null)
      or p.after_lane not between 0 and 63 or p.sweeps < 0 or (p.fault is null) <> (p.fault_at is null)
      or (c.ending ->> 'by' = 'itself' and (not ${isPassOver("c", "p")} or exists (
        select from ${t.emailSends} s where s.campaign_id = c.id and s.status in ('waiting', 'sending', 'unknown')
      )))`,
  );
