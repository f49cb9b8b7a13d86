import { sql } from "kysely";
import type { ExportedTable } from "../../domain/house-tables.ts";
import { kindOfKey, type TableKeyKind } from "../../domain/tables.ts";
import type { Tx } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { textQuery } from "../../platform/db/statements/text-query.ts";
import type { Row } from "./schema.ts";
import type { KeyReplacement } from "./translate.ts";

/** Prepares a transaction for an import: a temporary table maps keys of the file to keys of the new project. */
export async function prepareImport(tx: Tx): Promise<void> {
  await textQuery(
    tx,
    `create temporary table imported_keys (
      kind text not null, old_key uuid not null, new_key uuid not null, primary key (kind, old_key)
    ) on commit drop`,
  );
  // Keys have to be looked up one by one. Without statistics, the planner would read the whole table for every page instead.
  for (const plan of ["enable_hashjoin", "enable_mergejoin", "enable_seqscan"])
    await textQuery(tx, `set local ${plan} = off`);
}

/** The names of the migrations that were applied to the database. */
export async function readMigrationNames(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.selectFrom("migrations").select("name").execute();
  return new Set(rows.map(({ name }) => name));
}

const hashed = (text: string): string => `encode(substr(sha256(${text}), 1, 16), 'hex')::uuid`;
const bytesOf = (value: string): string => `convert_to(${value}::text, 'UTF8')`;

/** SQL of the new key for a key in a column; `i` is the row of the file, $2 the new project. */
const keyOf = (column: string, kind: TableKeyKind): string => {
  const found = `(select k.new_key from imported_keys k where k.kind = '${kind}' and k.old_key = i."${column}")`;
  // A user's key must be in the file. Another key that is not in the file is hashed, so that different keys stay different.
  if (kind === "user") return found;
  const stranger = hashed(`${bytesOf("$2")} || '\\x00' || ${bytesOf(`i."${column}"`)}`);
  return `case when i."${column}" is not null then coalesce(${found}, ${stranger}) end`;
};

/** SQL of a column of the new row. */
function columnValue(table: ExportedTable, column: string): string {
  const treatment = table.columns[column];
  const kind = kindOfKey(treatment);
  const set = table.set?.[column];
  if (column === "project_id") return "$2::uuid";
  if (set !== undefined) return set;
  if (kind !== null) return `r."new_${column}"`;
  if (treatment?.startsWith("lane of "))
    return `(get_byte(uuid_send(r."new_${treatment.slice("lane of ".length)}"), 0) >> 2)::smallint`;
  if (treatment !== "slot ids within") return `i."${column}"`;
  const hex = (key: string): string => `replace(${key}::text, '-', '')`;
  return `case when i.slot_key is null then i."${column}"
    else replace(i."${column}"::text, ${hex("i.slot_key")}, ${hex("r.new_slot_key")})::jsonb end`;
}

const INPUT = (table: ExportedTable): string => `json_populate_recordset(null::"${table.name}", $1::json) i`;

/** SQL that maps the keys of slots. Computes them as planning does, so that a device keeps its slot. */
const slotKeys = (table: ExportedTable): string => `
  insert into imported_keys (kind, old_key, new_key)
  select 'slot', i.slot_key, ${hashed(`${bytesOf("u.key")} || '\\x00' || ${bytesOf(columnValue(table, "send_id"))} || '\\x00' || ${bytesOf("u.device")}`)}
  from ${INPUT(table)},
    lateral (select ${keyOf("user_key", "user")} as key, ${keyOf("installation_key", "installation")} as device) u
  where u.key is not null
  on conflict do nothing`;

/** The statement that inserts rows of a table. `columns` are those of the file. */
function insertStatement(table: ExportedTable, columns: readonly string[]): string {
  const lanes = Object.keys(table.columns).filter((name) => table.columns[name]?.startsWith("lane of "));
  const hasProject = table.where === undefined;
  const written = [...columns, ...lanes, ...(hasProject ? ["project_id"] : [])];
  const keys = Object.entries(table.columns).flatMap(([column, treatment]) => {
    const kind = kindOfKey(treatment);
    return kind === null ? [] : [`${keyOf(column, kind)} as "new_${column}"`];
  });
  return `
    insert into "${table.name}" (${written.map((column) => `"${column}"`).join(", ")}) overriding system value
    select ${written.map((column) => columnValue(table, column)).join(", ")}
    from ${INPUT(table)}, lateral (select ${[...keys, "$2::text"].join(", ")}) r`;
}

/** Inserts rows of a table into the new project, in their order, after the keys that they define. */
export async function insertRows(
  tx: Tx,
  projectId: string,
  table: ExportedTable,
  page: { columns: readonly string[]; rows: readonly Row[]; keys: readonly KeyReplacement[] },
): Promise<void> {
  if (page.keys.length > 0)
    await textQuery(
      tx,
      `insert into imported_keys (kind, old_key, new_key)
      select k.kind, k."oldKey", k."newKey"
      from json_to_recordset($1::json) as k (kind text, "oldKey" uuid, "newKey" uuid)
      on conflict do nothing`,
      [JSON.stringify(page.keys)],
    );
  const values = [JSON.stringify(page.rows), projectId];
  if (table.name === "push_slots") await textQuery(tx, slotKeys(table), values);
  await textQuery(tx, insertStatement(table, page.columns), values);
}

/** Moves the counts of capped deliveries, which the file has by the lanes of the old keys, to the new lanes; sums stay the same. */
async function dealCappedCounts(tx: Tx, projectId: string): Promise<void> {
  await sql`
    with counted as (
      delete from ${t.emailCappedCounts} where project_id = ${projectId} returning period, deliveries
    ), periods as (
      select period, sum(deliveries) as number, sum(sum(deliveries)) over (order by period) as until
      from counted group by period
    ), lanes as (
      select lane, count(*) as number, sum(count(*)) over (order by lane) as until
      from ${t.emailSends} where project_id = ${projectId} and status = 'capped' group by lane
    )
    insert into ${t.emailCappedCounts} (lane, project_id, period, deliveries)
    select l.lane, ${projectId}, p.period, least(l.until, p.until) - greatest(l.until - l.number, p.until - p.number)
    from lanes l join periods p on p.until - p.number < l.until and l.until - l.number < p.until`.execute(tx);
}

/** Without its identity secret, the project could not verify any user: stop requiring it. */
async function liftUnprovable(tx: Tx, projectId: string): Promise<void> {
  await sql`
    delete from ${t.settings} where project_id = ${projectId} and key = 'identity.required'
      and not exists (select from ${t.identitySecrets} where project_id = ${projectId})`.execute(tx);
}

/** Logs secrets that were not in the file, and a requirement that was lifted, as changes of settings. */
async function logMissingSecrets(tx: Tx, projectId: string, now: number): Promise<void> {
  await sql`
    insert into ${t.settingChanges} (project_id, key, before, after, changed_by, changed_at)
    select project_id, key, after, null, 'import', ${now} from (
      select distinct on (key) * from ${t.settingChanges} where project_id = ${projectId} order by key, id desc
    ) last
    where after is not null
      and not exists (select from ${t.settings} s where s.project_id = last.project_id and s.key = last.key)
      and not (key = 'identity.secret' and exists (select from ${t.identitySecrets} where project_id = ${projectId}))`.execute(
    tx,
  );
}

/** Moves the sequences that order rows above the imported numbers. */
async function moveSequences(tx: Tx, projectId: string): Promise<void> {
  for (const [table, column] of [
    ["push_targets", "created_order"],
    ["push_observations", "received_order"],
  ])
    await sql
      .raw(`
        with newest as (
          select max("${column}") as number, pg_get_serial_sequence('${table}', '${column}') as name
          from "${table}" where project_id = '${projectId}'
        )
        select setval(name::regclass, number) from newest
        where number > coalesce(pg_sequence_last_value(name::regclass), 0)`)
      .execute(tx);
}

/** Writes what depends on all rows of an import, after the last one. `now` is epoch milliseconds. */
export async function finishImport(tx: Tx, projectId: string, now: number): Promise<void> {
  await dealCappedCounts(tx, projectId);
  await liftUnprovable(tx, projectId);
  await logMissingSecrets(tx, projectId, now);
  await moveSequences(tx, projectId);
}

/** What the person who imports should know. */
export type Warnings = {
  /** Campaigns that can be launched again, and are not sending. */
  paused: number;
  /** Suppressions of which only a hash of the address was kept. */
  forgottenSuppressions: number;
};

export async function readWarnings(tx: Tx, projectId: string): Promise<Warnings> {
  const { rows } = await sql<Warnings>`
    select (select count(*) from ${t.campaigns} where project_id = ${projectId} and status = 'paused') as paused,
      (
        select count(*) from ${t.emailAddresses}
        where project_id = ${projectId} and coalesce(suppressed_at, receipts_stopped_at) is not null and address is null
      ) as "forgottenSuppressions"`.execute(tx);
  return rows[0] ?? { paused: 0, forgottenSuppressions: 0 };
}
