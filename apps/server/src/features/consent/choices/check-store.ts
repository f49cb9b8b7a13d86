import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Choices of addresses and users that the log does not end with, or about a topic of another project. */
export const countChoiceDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.topicChoices} o
    left join ${t.topics} p on p.id = o.topic_id and p.project_id = o.project_id
    left join lateral (
      select c.action <> 'left' as is_in from ${t.consents} c
      where c.address_lane = o.lane and c.address_key = o.address_key and c.topic_id = o.topic_id and c.action <> 'requested'
      order by c.id desc limit 1
    ) c on true
    where p.id is null or c.is_in is distinct from o.is_in
    union all
    select from ${t.pushTopicChoices} o
    left join ${t.topics} p on p.id = o.topic_id and p.project_id = o.project_id
    left join lateral (
      select c.action <> 'left' as is_in from ${t.consents} c
      where c.user_lane = o.lane and c.user_key = o.user_key and c.topic_id = o.topic_id and c.action <> 'requested'
      order by c.id desc limit 1
    ) c on true
    where p.id is null or c.is_in is distinct from o.is_in`,
  );
