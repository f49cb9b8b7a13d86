import { sql } from "kysely";
import type { Check } from "../platform/checks.ts";
import { countDifferences } from "../platform/db/count-differences.ts";
import type { Table } from "./house-tables.ts";

/** Counts rows that do not lie in the lane of their key: no statement would find them. */
export const strayLanes = (tables: readonly Table[]): Check => ({
  name: "rows: each lies in the lane of its key",
  invariant: 1,
  compares: "facts",
  countDifferences: (db) =>
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
    ),
});
