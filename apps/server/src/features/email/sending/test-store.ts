import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";

/**
 * Counts a test mail against the number that a project may send within any hour.
 * @param now epoch milliseconds
 * @returns 0, or the milliseconds until the next one may leave
 */
export async function takeTestTurn(db: Db, projectId: string, now: number, limit: number): Promise<number> {
  const isFar = withValue((instant) => farAheadSql("at", instant, 0), now);
  const recent = sql`array(select at from unnest(p.sent_at) at where at > ${now - HOUR_MS} and not ${isFar} order by at)`;
  const { rows: taken } = await sql`
    insert into ${t.emailTestPaces} as p (project_id, sent_at) values (${projectId}, array[${now}::int8])
    on conflict (project_id) do update set sent_at = ${recent} || ${now}::int8
      where cardinality(${recent}) < ${limit}
    returning project_id`.execute(db);
  if (taken.length > 0) return 0;
  // The limit has room again once this test mail is an hour old.
  const { rows } = await sql<{ freed: number | null }>`
    select (${recent})[cardinality(${recent}) - ${limit} + 1] as freed
    from ${t.emailTestPaces} p where project_id = ${projectId}`.execute(db);
  return Math.max(1, (rows[0]?.freed ?? now) + HOUR_MS - now);
}
