import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Segments whose versions are not numbered from 1 to the current one, or belong to another project. */
export const countVersionDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.segments} s
    left join (
      select segment_id, project_id, count(*) as versions, min(version) as first, max(version) as last
      from ${t.audienceVersions} where segment_id is not null group by 1, 2
    ) v on v.segment_id = s.id and v.project_id = s.project_id
    where (v.first, v.last, v.versions) is distinct from (1, s.current_version, s.current_version::int8)`,
  );
