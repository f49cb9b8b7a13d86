import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Tables whose rows are deleted with a user, or moved to the anonymised user. */
const GONE = [t.users, t.events, t.eventCounts, t.feedbackReceipts, t.emailHitHeads, t.emailHits];

/**
 * Erased users with rows other than deliveries, sends, frozen events and activity; and users who exist under the key of an erased one
 * whose events are not all deleted yet.
 */
export const countHalfErasedAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.erasedUsers} g
    where ${sql.join(
      GONE.map(
        (table) => sql`exists (select from ${table} t where t.lane = g.lane and t.user_key = g.user_key)`,
      ),
      sql` or `,
    )} or exists (select from ${t.installations} i where i.user_lane = g.lane and i.user_key = g.user_key)
    union all
    select from ${t.erasingUsers} x
    where exists (select from ${t.users} u where u.lane = x.lane and u.user_key = x.user_key)`,
  );
