import { sql } from "kysely";
import { countDifferences } from "../../../../platform/db/count-differences.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/** SQL: the counts of journeys as entries and what users did come to. */
const RECOUNTED = `
  select journey_id, step_id, did, project_id, count(*) as count from (
    select journey_id, step_id, 'here' as did, project_id from ${t.journeyEntries} where left_at is null
    union all select journey_id, '', 'entered', project_id from ${t.journeyEntries}
    union all select journey_id, '', 'arm:' || arm, project_id from ${t.journeyEntries} where arm is not null
    union all select journey_id, '', 'left:' || left_by, project_id from ${t.journeyEntries} where left_at is not null
    union all select journey_id, step_id, did, project_id from ${t.journeyMarks}
  ) each group by 1, 2, 3, 4`;

/** Steps of journeys whose counts differ from the entries and from what users did. */
export const countCountDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sqlText(`
    select from (${RECOUNTED}) counted
    full join (select journey_id, step_id, did, count from ${t.journeyCounts} where count <> 0) kept using (journey_id, step_id, did)
    where counted.count is distinct from kept.count`),
  );

/** Marks of messages that left, or are there on the web, whose delivery is gone; and of withheld ones that were not withheld. */
export const countUnprovenAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.journeyMarks} m
    where (m.did = 'sent' and not exists (
        select from ${t.campaigns} c join ${t.deliveries} d on d.campaign_id = c.id
        where c.journey_id = m.journey_id and c.step_id = m.step_id
          and d.lane = m.lane and d.user_key = m.user_key and d.occasion = m.occasion
          and (d.sent_at is not null or c.channel = 'web_inapp')
      )) or (m.did = 'withheld' and not exists (
        select from ${t.campaigns} c join ${t.withheldDeliveries} w on w.campaign_id = c.id
        where c.journey_id = m.journey_id and c.step_id = m.step_id and w.lane = m.lane and w.user_key = m.user_key
      ))`,
  );

/** Entries whose arm had no weight in their epoch, and those without an arm where users have one. */
export const countArmDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.journeyEntries} e
    left join ${t.journeyAllocations} a on a.journey_id = e.journey_id and a.epoch = e.epoch and a.arm = e.arm
    where (e.arm is not null and coalesce(a.weight, 0) = 0)
      or (e.arm is null and exists (select from ${t.journeyAllocations} o where o.journey_id = e.journey_id))`,
  );

/** Counts the journeys of a project again, which an import has just brought. */
export async function recountJourneys(tx: Db, projectId: string): Promise<void> {
  await sql`
    insert into ${t.journeyCounts} (journey_id, step_id, did, project_id, count)
    select journey_id, step_id, did, project_id, count from (${sqlText(RECOUNTED)}) counted where project_id = ${projectId}`.execute(
    tx,
  );
}
