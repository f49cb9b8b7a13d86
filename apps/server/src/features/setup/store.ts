import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isOfKindSql } from "../users/identities/public.ts";

/** What there is of what people make or pages bring; each answered by the first row of an index, however many there are. */
export type FoundSetup = {
  hasPageView: boolean;
  hasUser: boolean;
  hasEvent: boolean;
  hasGoal: boolean;
  hasCampaign: boolean;
  hasDevice: boolean;
};

const NOTHING: FoundSetup = {
  hasPageView: false,
  hasUser: false,
  hasEvent: false,
  hasGoal: false,
  hasCampaign: false,
  hasDevice: false,
};

/** Events that are kept no longer are still among the names. Devices are those of one app, or of all (null). */
export async function readFound(db: Db, projectId: string, appId: string | null): Promise<FoundSetup> {
  const { rows } = await sql<FoundSetup>`
    select exists (select from ${t.firstPageViews} where project_id = ${projectId}) as "hasPageView",
      exists (select from ${t.users} u where project_id = ${projectId} and ${isOfKindSql("u", "users")}) as "hasUser",
      exists (select from ${t.events} where project_id = ${projectId})
        or exists (select from ${t.eventNames} where project_id = ${projectId} and occurrences > 0) as "hasEvent",
      exists (select from ${t.goals} where project_id = ${projectId}) as "hasGoal",
      exists (select from ${t.campaigns} where project_id = ${projectId}) as "hasCampaign",
      exists (
        select from ${t.installations} where project_id = ${projectId} and app_id = coalesce(${appId}::text, app_id)
      ) as "hasDevice"`.execute(db);
  return rows[0] ?? NOTHING;
}
