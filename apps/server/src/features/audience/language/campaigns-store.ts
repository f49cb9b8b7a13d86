import { sql } from "kysely";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Which of some campaigns, by their ids in the API, a project does not have. */
export async function unknownCampaigns(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = ids.map((id) => uuidFor("cmp", id));
  const { rows } = await sql<{ id: string }>`
    select c.id from ${t.campaigns} c where c.project_id = ${projectId} and c.id = any(${keys}::uuid[])`.execute(
    db,
  );
  const known = new Set(rows.map(({ id }) => apiId("cmp", id)));
  return new Set(ids.filter((id) => !known.has(id)));
}
