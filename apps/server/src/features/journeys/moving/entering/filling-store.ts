import { sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { matchingUsersIn } from "../../../audience/language/public.ts";
import type { AudiencePage } from "../../../deliveries/public.ts";

/**
 * The users of a page of an audience who are not inside a journey, and have not entered it since an instant (epoch ms; null: ever), by lane and
 * key.
 */
export async function findEntering(
  db: Db,
  projectId: string,
  journeyId: string,
  { range, expression, evaluatedAt }: AudiencePage,
  since: number | null,
): Promise<UserRef[]> {
  const { rows } = await sql<UserRef>`
    select u.lane, u.user_key as "userKey"
    from ${matchingUsersIn(range, projectId, "users", expression, evaluatedAt)}
      and not exists (
        select from ${t.journeyEntries} e
        where e.lane = u.lane and e.user_key = u.user_key and e.journey_id = ${journeyId}
          and (e.left_at is null or e.entered_at > coalesce(${since}::int8, -1))
      )
    order by u.lane, u.user_key`.execute(db);
  return rows;
}
