import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";

/** Settings and identity secrets that differ from their last logged change. */
export const countUnexplainedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select project_id as owner, key, coalesce(value, '"set"') as value from settings
      union all
      select organization_id, key, value from organization_settings
      union all
      select project_id, 'identity.secret', '"set"' from identity_secrets where expires_at is null
    ) s
    full join (
      select distinct on (owner, key) owner, key, after
      from (select coalesce(project_id, organization_id) as owner, key, after, id from setting_changes) c
      order by owner, key, id desc
    ) last using (owner, key)
    where last.after is distinct from s.value`,
  );
