import pg from "pg";
import type { OrderedTable } from "./table-order.pure.ts";

// Statements about every table are made from what the catalog says of them: no sheet of statements can have them.

/** A table as a catalog has it: `users`, `people.user`, with the columns that are not computed from others. */
export type CatalogTable = OrderedTable & { columns: readonly string[] };

/** A name of the catalog as it stands in a statement. */
export const quoted = (name: string): string => name.split(".").map(pg.escapeIdentifier).join(".");
/** The same of several. */
export const quotedAll = (names: readonly string[]): string => names.map(quoted).join(", ");

/** The name of a table `c` in the schema `n`: in a statement it is found by the path, unless it is of the sign-in library. */
const NAME = "case when n.nspname = 'people' then 'people.' else '' end || c.relname";

/** All tables but `migrations`, in the schema in which new ones are made and in that of the sign-in library. */
export async function readCatalog(client: pg.Client): Promise<CatalogTable[]> {
  const { rows } = await client.query<CatalogTable>(
    `with tables as (
      select c.oid, n.nspname as schema, c.relname as relation, ${NAME} as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'people') and c.relkind in ('r', 'p') and not c.relispartition
    )
    select name, array(
        select a.attname::text from pg_attribute a
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attname
      ) as columns, array(
        select distinct other.name from pg_constraint f join tables other on other.oid = f.confrelid
        where f.conrelid = t.oid and f.contype = 'f' order by 1
      ) as needs
    from tables t where not (schema = current_schema() and relation = 'migrations') order by name`,
  );
  return rows;
}

/** The tables that have a row. */
export async function findFilled(client: pg.Client, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    names
      .map((name) => `select ${pg.escapeLiteral(name)} as name where exists (select from ${quoted(name)})`)
      .join(" union all "),
  );
  return rows.map(({ name }) => name);
}

/** How many rows tables have, by name. */
export async function countRows(
  client: pg.Client,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ name: string; count: string }>(
    names
      .map((name) => `select ${pg.escapeLiteral(name)} as name, count(*)::text as count from ${quoted(name)}`)
      .join(" union all "),
  );
  return new Map(rows.map(({ name, count }) => [name, Number(count)]));
}

/** A column that is numbered, and the number that its next row gets, as PostgreSQL writes it: it may be beyond what a double is exact for. */
export type Numbered = { table: string; column: string; next: string };

/** The columns of tables whose numbers come from a sequence. */
export async function readNumbered(client: pg.Client, names: readonly string[]): Promise<Numbered[]> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string; step: string }>(
    `select name as table, a.attname as column, d.objid::regclass::text as sequence, s.seqincrement::text as step
    from (select c.oid, ${NAME} as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'people')) t
    join pg_depend d on d.refobjid = t.oid and d.refclassid = 'pg_class'::regclass and d.classid = 'pg_class'::regclass
      and d.deptype in ('a', 'i')
    join pg_sequence s on s.seqrelid = d.objid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where name = any ($1) order by 1, 2`,
    [names],
  );
  const numbered: Numbered[] = [];
  for (const { table, column, sequence, step } of rows) {
    const { rows: values } = await client.query<{ next: string }>(
      `select (case when is_called then last_value + $1::int8 else last_value end)::text as next from ${sequence}`,
      [step],
    );
    numbered.push({ table, column, next: values[0]?.next ?? "1" });
  }
  return numbered;
}
