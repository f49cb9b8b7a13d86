import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { openMessagesSql } from "./store.ts";

/** Messages that are counted at most, so that reading a metric stays cheap. */
const MOST_COUNTED = 100_000;

/** How many messages wait for webhooks that are on, and how many webhooks a fault has switched off, over all projects. */
export async function countWebhooksAcrossProjects(db: Db): Promise<{ waiting: number; off: number }> {
  const { rows } = await sql<{ waiting: number; off: number }>`
    select (
      select least(coalesce(sum(${openMessagesSql(MOST_COUNTED)}), 0), ${MOST_COUNTED})::int8 from ${t.webhooks} w where w.state = 'on'
    ) as waiting, (
      select count(*) from ${t.webhooks} w where w.deleted_at is null and w.off_because in ('gone', 'failing', 'flooded')
    ) as off`.execute(db);
  return rows[0] ?? { waiting: 0, off: 0 };
}
