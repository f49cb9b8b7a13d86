import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { tables } from "./tables.ts";

/** Rows that do not lie in the lane of their key: no statement would find them. */
export const countStrayLanesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql.join(
      tables
        .filter(({ lies }) => lies.endsWith("Key"))
        .map(
          ({ name, lies }) =>
            sql`select from ${sql.table(name)} where lane <> get_byte(uuid_send(${sql.ref(lies)}), 0) >> 2`,
        ),
      sql` union all `,
    ),
  );
