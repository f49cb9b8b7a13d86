import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/**
 * Messages that have ended, or leave, although an earlier one about the same object of the same webhook waits: they have passed it. What was
 * requested once more has no place in that order.
 */
export const countPassedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.webhookMessages} e
    where e.state in ('waiting', 'sending') and e.replayed_at is null and exists (
      select from ${t.webhookMessages} m
      where m.lane = e.lane and m.webhook_id = e.webhook_id and m.object = e.object and m.id > e.id and m.state <> 'waiting'
        and m.replayed_at is null
    )`,
  );

/** Messages whose attempts were not all written down. */
export const countUnloggedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.webhookMessages} m
    where m.attempts <> (
      select count(*) from ${t.webhookAttempts} a where a.lane = m.lane and a.message_id = m.id
    )`,
  );
