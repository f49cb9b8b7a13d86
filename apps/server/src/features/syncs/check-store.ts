import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Windows of events that do not begin where the one before them ends, so that events between them are in no file, or in two. */
export const countGapsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select w.since, lag(w.until) over (partition by w.sync_id order by w.until) as ends_before, s.begins_at
      from ${t.syncWindows} w join ${t.syncs} s on s.id = w.sync_id
      where w.list = 'events'
    ) w
    where w.since is distinct from coalesce(w.ends_before, w.begins_at)`,
  );

/** Windows whose sums are not those of their files, or that are complete without any. */
export const countMissumsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.syncWindows} w
    cross join lateral (
      select count(*) as files, coalesce(sum((f ->> 'rows')::int8), 0) as rows, coalesce(sum((f ->> 'bytes')::int8), 0) as bytes
      from jsonb_array_elements(w.files) f
    ) f
    where f.rows <> w.rows or f.bytes <> w.bytes or (w.ended_at is not null and f.files = 0)`,
  );
