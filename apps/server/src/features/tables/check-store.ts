import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { keyedTables } from "./tables.ts";

/** Rows that do not lie in the lane of their key: no statement would find them. */
export const countStrayLanesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql.join(
      keyedTables.map(
        ({ table, key }) =>
          sql`select from ${sql.table(table)} where lane <> get_byte(uuid_send(${sql.ref(key)}), 0) >> 2`,
      ),
      sql` union all `,
    ),
  );
