import { sql } from "kysely";
import { countDifferences } from "./count-differences.ts";
import type { Db } from "./db.ts";

/** Idempotency-Keys that lack an answer although their request ended, and reserved ones that have an answer. */
export const countUnansweredAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(db, sql`select from idempotency_keys where (status is null or body is null) <> reserved`);
