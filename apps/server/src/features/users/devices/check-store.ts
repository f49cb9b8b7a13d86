import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { KEPT_ACKNOWLEDGEMENTS } from "./rules.ts";

/** Installations whose key is not the one derived from their project and id (`installationRef`): the device would not find its own. */
export const countMisplacedInstallationsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.installations}
    where uuid_send(installation_key) <> substring(sha256(
      convert_to(project_id::text, 'UTF8') || '\\x00' || convert_to('installation', 'UTF8') || '\\x00'
        || convert_to(installation_id, 'UTF8')
    ) for 16)`,
  );

/** Installations bound to users who do not exist, or who have another id. */
export const countStrayBindingsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.installations} i
    where i.user_key is not null and not exists (
      select from ${t.users} u
      where u.lane = i.user_lane and u.user_key = i.user_key and u.project_id = i.project_id
        and u.external_id = i.user_external_id
    )`,
  );

/** Tokens of installations that do not exist, or that have replaced them. */
export const countStrayTokensAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.installationTokens} t
    where not exists (
      select from ${t.installations} i
      where i.lane = t.installation_lane and i.installation_key = t.installation_key
        and i.project_id = t.project_id and i.token_lane = t.lane and i.token_key = t.token_key
    )`,
  );

/** Ended tokens of installations that do not exist, have another token, or have put or removed one since. */
export const countStrayEndedTokensAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.installationEndedTokens} e
    where not exists (
      select from ${t.installations} i
      where i.lane = e.lane and i.installation_key = e.installation_key and i.project_id = e.project_id
        and i.token_revision = e.token_revision
    ) or exists (select from ${t.installationTokens} t where t.lane = e.token_lane and t.token_key = e.token_key)`,
  );

/** Acknowledgements that should have been deleted, of a revision that is not reached yet, or of no installation. */
export const countStrayAcknowledgementsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.installationAcknowledgements} a
    left join ${t.installations} i on i.lane = a.lane and i.installation_key = a.installation_key
    where i.revision is null or a.revision > i.revision
      or a.revision <= i.revision - ${sql.lit(KEPT_ACKNOWLEDGEMENTS)}`,
  );
