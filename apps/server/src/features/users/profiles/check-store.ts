import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Users whose key is not the one derived from their project and id (`userRef`): their next request would make a second user. */
export const countMisplacedUsersAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.users}
    where uuid_send(user_key) <> substring(
      sha256(convert_to(project_id::text, 'UTF8') || '\\x00' || convert_to(external_id, 'UTF8')) for 16
    )`,
  );
