import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Imports that refused lines without a reason, or have reasons and refused none, or keep refusals of more lines than they refused. */
export const countUnfoundedRefusalsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.imports} i
    where (i.refused > 0) <> (jsonb_array_length(i.reasons) > 0)
      or i.refused < (
        select count(distinct r.line) from ${t.importRefusals} r where r.project_id = i.project_id and r.import_id = i.id
      )`,
  );
