import { sql } from "kysely";
import { countDifferences } from "./count-differences.ts";
import type { Db } from "./db.ts";
import { keyedTables } from "./placement.ts";

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

/** Idempotency-Keys without an answer whose request is neither under way nor was cut off, and reserved ones that have an answer. */
export const countUnansweredAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(db, sql`select from idempotency_keys where (status is null or body is null) <> reserved`);
