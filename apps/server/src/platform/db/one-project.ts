import { sql } from "kysely";
import type { Tx } from "./db.ts";

/**
 * A project, and the conditions that find its rows in tables where `project_id` alone does not: SQL by table, in which `t` is the table and
 * `$1` the project.
 */
export type OneProject = { projectId: string; conditions: ReadonlyMap<string, string> };

/**
 * Makes every table show only the rows of one project and of its organization, until the end of the transaction, by a temporary view of
 * the same name. So statements over all projects read this project alone. The transaction has to be rolled back.
 */
export async function lookAtOneProject(tx: Tx, { projectId, conditions }: OneProject): Promise<void> {
  const { rows } = await sql<{ schema: string; name: string; named: boolean }>`
    select current_schema() as schema, c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
    ) as named
    from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`.execute(tx);
  const project = sql.lit(projectId);
  for (const { schema, name, named } of rows) {
    const condition = conditions.get(name) ?? (named ? "t.project_id = $1" : null);
    if (condition === null) continue;
    // A view takes no parameters: the project stands in its text.
    const theirs = sql.join(
      condition.split("$1").map((part) => sql.raw(part)),
      project,
    );
    const view = sql`create temp view ${sql.id(name)} as select * from ${sql.id(schema, name)} t where ${theirs}`;
    await view.execute(tx);
  }
}
