import type pg from "pg";
import type { DatabaseStanding } from "./standing.pure.ts";

/**
 * Everything in one statement: every start and every command begins with it. $1: the tables of Tidings, `users` or `people.user`.
 * Tables are of Tidings where its `migrations` is beside them, known by its columns: other programs have a table of that name too.
 */
const STANDING = `
  with homes as (
    select n.nspname as name, pg_table_is_visible(c.oid) as in_path
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = 'migrations' and c.relkind = 'r' and 2 = (
      select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('digest', 'applied_at') and not a.attisdropped
    )
    order by in_path desc, name limit 1
  ), ours as (
    select c.oid, c.relname as name, c.relowner as owner, has_schema_privilege(n.oid, 'usage') as open
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and (
      n.nspname = (select name from homes) and c.relname = any ($1) or n.nspname = 'people' and exists (select from homes)
    )
  )
  select current_user as role, current_database() as database, current_setting('server_version_num')::int as version,
    current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
    current_setting('transaction_read_only') = 'on' as "isReadOnly", current_setting('search_path') as path,
    (select source from pg_settings where name = 'default_transaction_read_only') as "readOnlyBy",
    (select source from pg_settings where name = 'search_path') as "pathBy",
    current_schema() as schema,
    (select name from homes) as home, coalesce((select in_path from homes), false) as "isHomeInPath",
    array(
      select named.name from pg_class c join pg_namespace n on n.oid = c.relnamespace,
        lateral (select case when n.nspname = current_schema() then '' else n.nspname || '.' end || c.relname as name) named
      where not exists (select from homes) and n.nspname in (current_schema(), 'people')
        and c.relkind in ('r', 'p', 'v', 'm', 'f') and named.name = any ($1) order by 1
    ) as foreign,
    array(select distinct pg_get_userbyid(owner)::text from ours where not pg_has_role(owner, 'usage') order by 1) as owners,
    array(
      select name::text from ours where not (open and has_table_privilege(oid, 'select') and (
        name = 'migrations' or has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update')
          and has_table_privilege(oid, 'delete')
      )) order by name <> 'migrations', name
    ) as closed,
    has_database_privilege(current_database(), 'create') or exists (
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'people' and c.relname = 'user' and exists (select from homes)
    ) as "mayCreateSchema",
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreateTable",
    (select rolinherit from pg_roles where rolname = current_user) as "inheritsRights"`;

/**
 * What the role of an address finds in its database.
 * @param tables names of the tables of Tidings, of this version and of former ones
 * @param setting what named the address
 */
export async function readStanding(
  pool: pg.Pool,
  tables: readonly string[],
  setting: string,
): Promise<DatabaseStanding> {
  const { rows } = await pool.query<Omit<DatabaseStanding, "setting">>(STANDING, [tables]);
  const [standing] = rows;
  if (standing === undefined) throw new Error("The database says nothing of itself.");
  return { ...standing, setting };
}
