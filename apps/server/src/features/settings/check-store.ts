import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Settings and identity secrets that differ from their last logged change. */
export const countUnexplainedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select project_id as owner, key, coalesce(value, '"set"') as value from ${t.settings}
      union all
      select organization_id, key, value from ${t.organizationSettings}
      union all
      select project_id, 'identity.secret', '"set"' from ${t.identitySecrets} where expires_at is null
    ) s
    full join (
      select distinct on (owner, key) owner, key, after
      from (select coalesce(project_id, organization_id) as owner, key, after, id from ${t.settingChanges}) c
      order by owner, key, id desc
    ) last using (owner, key)
    where last.after is distinct from s.value`,
  );
