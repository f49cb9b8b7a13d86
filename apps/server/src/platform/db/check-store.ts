import { sql } from "kysely";
import { countDifferences } from "./count-differences.ts";
import type { Db } from "./db.ts";
import { t } from "./statements/table-names.ts";

/** Idempotency-Keys that lack an answer although their request ended, and reserved ones that have an answer. */
export const countUnansweredAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`select from ${t.idempotencyKeys} where (status is null or body is null) <> reserved`,
  );
