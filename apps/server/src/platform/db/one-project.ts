import { type RawBuilder, sql } from "kysely";
import type { Tx } from "./db.ts";

/** Tables whose rows of a project are not found by `project_id` alone, each with the condition that finds them. */
function otherwise(schema: string, projectId: string): Readonly<Record<string, RawBuilder<unknown>>> {
  const table = (name: string) => sql.id(schema, name);
  const project = sql.lit(projectId);
  const organization = sql`(select organization_id from ${table("projects")} where id = ${project})`;
  return {
    projects: sql`id = ${project}`,
    organizations: sql`id = ${organization}`,
    organization_settings: sql`organization_id = ${organization}`,
    usage_catch_ups: sql`organization_id = ${organization}`,
    setting_changes: sql`project_id = ${project} or organization_id = ${organization}`,
    feedback_receipts: sql`campaign_id in (select id from ${table("campaigns")} where project_id = ${project})`,
  };
}

/**
 * Makes every table show only the rows of one project and of its organization, until the end of the transaction, by a temporary view of
 * the same name. So statements over all projects read this project alone. The transaction has to be rolled back.
 */
export async function lookAtOneProject(tx: Tx, projectId: string): Promise<void> {
  const { rows } = await sql<{ schema: string; name: string; named: boolean }>`
    select current_schema() as schema, c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
    ) as named
    from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`.execute(tx);
  for (const { schema, name, named } of rows) {
    const theirs =
      otherwise(schema, projectId)[name] ?? (named ? sql`project_id = ${sql.lit(projectId)}` : null);
    if (theirs !== null) {
      const view = sql`create temp view ${sql.id(name)} as select * from ${sql.id(schema, name)} where ${theirs}`;
      await view.execute(tx);
    }
  }
}
