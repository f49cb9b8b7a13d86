import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isPassOver } from "../../campaigns/authoring/public.ts";
import { deliveryKey, onFirstOccasion } from "../../deliveries/public.ts";
import { ofDelivery, ofFirstDelivery, sameRecipient } from "./recipient-store.ts";
import { sameSlot } from "./slot-store.ts";
import { laterSendIdSql } from "./tables.pure.ts";

/** Deliveries of push without devices, devices without their delivery or recipient, and those that say different things. */
export const countPlanDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select ${deliveryKey("d")}, d.variant_id, d.sent_at
      from ${t.deliveries} d join ${t.campaigns} c on c.id = d.campaign_id and c.channel = 'push'
    ) d
    full join (
      select ${deliveryKey()}, send_id, count(*) filter (where state = 'accepted' or receipt_at is not null) as known
      from ${t.pushSlots} where not is_test group by ${deliveryKey()}, send_id
    ) s using (${deliveryKey()})
    full join (
      select ${deliveryKey()}, send_id, variant_id from ${t.pushRecipients} r where state = 'active' and ${ofDelivery("r")}
    ) r using (${deliveryKey()}, send_id)
    where d.variant_id is null or s.known is null or r.variant_id is null or d.variant_id <> r.variant_id
      or (s.known > 0) <> (d.sent_at is not null)
      or s.send_id <> case when ${onFirstOccasion("s")} then s.campaign_id else ${sqlText(laterSendIdSql("s"))} end`,
  );

/** Slots whose counts or state differ from their targets, attempts and outcomes; records without a slot. */
export const countLedgerDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.pushSlots} s
    full join (
      select lane, user_key, slot_key, count(*) as targets from ${t.pushTargets} group by 1, 2, 3
    ) t using (lane, user_key, slot_key)
    full join (
      select lane, user_key, slot_key, count(a.lease_owner) as attempts, count(o.kind) as outcomes,
        count(*) filter (where o.submission <> 'none') as used, count(*) filter (where o.submission = 'possible') as possible,
        count(*) filter (where o.kind = 'blocked') as blocks, max(ordinal) filter (where o.kind = 'accepted') as accepted,
        count(*) filter (where o.kind = 'accepted') as acceptances, count(*) filter (where a.lease_owner is null) as stray
      from ${t.pushAttempts} a full join ${t.pushOutcomes} o using (lane, user_key, slot_key, ordinal)
      group by 1, 2, 3
    ) r using (lane, user_key, slot_key)
    where s.state is null or coalesce(t.targets, 0) <> s.generation or coalesce(r.attempts, 0) <> s.attempts
      or coalesce(r.outcomes, 0) <> s.attempts - (s.state = 'reserved')::int
      or coalesce(r.used, 0) <> s.submissions_used or coalesce(r.possible, 0) <> s.possible_submissions
      or coalesce(r.blocks, 0) <> s.blocks or s.uncertain <> (coalesce(r.possible, 0) > 0)
      or r.accepted is distinct from s.accepted_ordinal or r.acceptances > 1 or r.stray > 0`,
  );

/** Slots that were attempted again after they had been accepted. */
export const countResubmissionsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.pushSlots} s
    where s.state = 'accepted' and s.accepted_ordinal <> s.attempts`,
  );

/** Recipients that wait or are closed and have slots or a variant, active ones without slots, and tests without their slot. */
export const countStrayRecipientsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.pushRecipients} r
    where (r.state = 'active') <> exists (
      select from ${t.pushSlots} s where ${sameRecipient("s", "r")}
    ) or (r.state = 'active') <> (r.variant_id is not null)
    union all
    select from ${t.pushTests} q
    where not exists (
      select from ${t.pushSlots} s where ${sameSlot("s", "q")} and s.is_test
    )`,
  );

/** Targets without their definition, in the same campaign. */
export const countUndefinedTargetsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.pushTargets} t
    where not exists (
      select from ${t.pushDefinitions} f
      where f.id = t.definition_id and f.campaign_id = t.campaign_id and f.project_id = t.project_id
    )`,
  );

/**
 * Sweeps with an impossible cursor or of a campaign that sends no push; campaigns that have recipients and no sweep, and those that ended
 * by themselves before they were through their audience.
 */
export const countBrokenPlansAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (select s.* from ${t.campaignSweeps} s join ${t.campaigns} c on c.id = s.campaign_id and c.channel = 'push') p
    full join (select distinct r.campaign_id from ${t.pushRecipients} r where ${ofFirstDelivery("r")}) r using (campaign_id)
    left join ${t.campaigns} c on c.id = p.campaign_id and c.project_id = p.project_id and c.channel = 'push'
    where c.id is null or c.status = 'draft' or (p.after_lane is null) <> (p.after_user is null)
      or p.after_lane not between 0 and 63 or p.sweeps < 0 or (p.fault is null) <> (p.fault_at is null)
      or (p.closed_at is not null and c.status = 'running' and coalesce(p.closed_at < c.deliver_until, true))
      or (c.ending ->> 'by' = 'itself' and not ${isPassOver("c", "p")})`,
  );
