import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { type Fragment, relation } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { thingMessagesCte } from "../../webhooks/public.ts";
import type { RefusalReason } from "../schema.ts";
import type { RefusalRow } from "../store.ts";

/** SQL: no process that is alive reads the import `i`, or this one does. */
const isFree = (leaseOwner: string) => sql<boolean>`(
    i.lease_owner is null or i.lease_owner = ${leaseOwner}
    or not exists (select from ${t.processes} p where p.lease_owner = i.lease_owner)
  )`;

/** Imports that run and are read by no other process, but for those of projects that are at work. */
export async function findRunningAcrossProjects(
  db: Db,
  { leaseOwner, busy }: { leaseOwner: string; busy: readonly string[] },
): Promise<{ projectId: string; id: string }[]> {
  const { rows } = await sql<{ projectId: string; id: string }>`
    select i.project_id as "projectId", i.id from ${t.imports} i
    where i.state = 'running' and ${isFree(leaseOwner)} and not i.project_id = any(${[...busy]}::uuid[])
    order by i.started_at, i.id limit 20`.execute(db);
  return rows;
}

/** Takes an import that runs; answers whether no other process has it. */
export async function takeImport(
  db: Db,
  projectId: string,
  { id, leaseOwner }: { id: string; leaseOwner: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${t.imports} i set lease_owner = ${leaseOwner}, tries = i.tries + 1
    where i.project_id = ${projectId} and i.id = ${id} and i.state = 'running' and ${isFree(leaseOwner)}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** Gives an import back, so that any process may go on with it. Only a process that ends without this has tried in vain. */
export async function releaseImport(
  db: Db,
  projectId: string,
  { id, leaseOwner }: { id: string; leaseOwner: string },
): Promise<void> {
  await db
    .updateTable("imports")
    .set({ leaseOwner: null, tries: sql<number>`greatest(0, tries - 1)` })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("leaseOwner", "=", leaseOwner)
    .execute();
}

const CHANGED = relation("changed");
const ENDED = relation<"project_id" | "object" | "at" | "campaign_id" | "data">("ended");

/** CTEs that announce to webhooks which imports of `changed`, whole rows, have ended just now. What was only tried is no news. */
const endedMessagesCtes: Fragment = {
  ctes: sqlText(`
  ${ENDED} as (
    select project_id, id as object, ended_at as at, null::uuid as campaign_id, jsonb_build_object(
      'importId', 'imp_' || id, 'kind', kind, 'name', name, 'state', state, 'lines', lines, 'written', written, 'known', known,
      'refused', refused, 'fault', fault
    ) as data
    from ${CHANGED} where state in ('done', 'failed') and not is_dry_run
  ),
  ${thingMessagesCte(ENDED, "'import.ended'").ctes}`),
};

/** Ends an import that cannot be read on. `fault` is a sentence for people. */
export async function failImport(
  db: Db,
  projectId: string,
  { id, leaseOwner, fault, at }: { id: string; leaseOwner: string; fault: string; at: number },
): Promise<void> {
  await sql`
    with ${CHANGED} as (
      update ${t.imports} set state = 'failed', fault = ${fault}, ended_at = ${at}, lease_owner = null
      where project_id = ${projectId} and id = ${id} and state = 'running' and lease_owner = ${leaseOwner}
      returning *
    ), ${endedMessagesCtes.ctes}
    select`.execute(db);
}

/** How far an import is once a piece of it is brought in. `fromOffset` and `fromLine` are where the piece begins, `toOffset` and `toLine` the next. */
export type PieceDone = {
  projectId: string;
  id: string;
  leaseOwner: string;
  fromOffset: number;
  fromLine: number;
  toOffset: number;
  toLine: number;
  bytesRead: number;
  written: number;
  known: number;
  refused: number;
  reasons: string;
  isEnd: boolean;
  now: number;
};

/** Writes down that a piece is brought in. Answers nothing where the import was stopped, or another process has it: then it is not. */
export const finishPiece = valuesStatement<PieceDone, { done: true }>(
  { name: "finish_import_piece", reach: "key" },
  {
    projectId: "uuid",
    id: "uuid",
    leaseOwner: "uuid",
    fromOffset: "int8",
    fromLine: "int8",
    toOffset: "int8",
    toLine: "int8",
    bytesRead: "int8",
    written: "int8",
    known: "int8",
    refused: "int8",
    reasons: "jsonb",
    isEnd: "bool",
    now: "int8",
  },
  (p) => `with ${CHANGED} as (
  update ${t.imports} set read_offset = ${p.toOffset}, read_line = ${p.toLine}, bytes_read = ${p.bytesRead},
    lines = lines + ${p.written} + ${p.known} + ${p.refused}, written = written + ${p.written}, known = known + ${p.known},
    refused = refused + ${p.refused}, reasons = ${p.reasons}, tries = 0,
    state = case when ${p.isEnd} then 'done' else state end, ended_at = case when ${p.isEnd} then ${p.now} end,
    lease_owner = case when ${p.isEnd} then null else lease_owner end
  where project_id = ${p.projectId} and id = ${p.id} and state = 'running' and lease_owner = ${p.leaseOwner}
    and read_offset = ${p.fromOffset} and read_line = ${p.fromLine}
  returning *), ${endedMessagesCtes.ctes}
  select true as done from ${CHANGED}`,
);

/** Keeps refusals of a piece, those of its first lines first, up to `most` of the whole import. */
export const keepRefusals = valuesStatement<
  { projectId: string; importId: string; refusals: string; most: number },
  Record<never, never>
>(
  { name: "keep_import_refusals", reach: "config" },
  { projectId: "uuid", importId: "uuid", refusals: "jsonb", most: "int4" },
  ({ projectId, importId, refusals, most }) => `
  insert into ${t.importRefusals} (project_id, import_id, line, place, field, rule, text)
  select ${projectId}, ${importId}, r.line, r.place, r.field, r.rule, r.text
  from jsonb_to_recordset(${refusals}) as r (line int8, place int4, field text, rule text, text text)
  order by r.line, r.place
  limit greatest(0, ${most} - (
    select count(*) from ${t.importRefusals} where project_id = ${projectId} and import_id = ${importId}
  ))`,
);

/** Refusals as the statement takes them. */
export const refusalsText = (rows: readonly RefusalRow[]): string => JSON.stringify(rows);

/** Reasons as the statement takes them. */
export const reasonsText = (reasons: readonly RefusalReason[]): string => JSON.stringify(reasons);

/** Parts that one statement deletes: each has 4 MiB. */
const PARTS_AT_ONCE = 16;

/** Deletes parts of files that were brought in. Answers whether there may be more. */
export async function forgetBroughtParts(db: Db, projectId: string, importId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${t.importParts} p
    where p.project_id = ${projectId} and p.import_id = ${importId} and p.n in (
      select p.n from ${t.importParts} p
      join ${t.imports} i on i.project_id = p.project_id and i.id = p.import_id and i.state = 'done' and not i.is_dry_run
      where p.project_id = ${projectId} and p.import_id = ${importId}
      order by p.n limit ${PARTS_AT_ONCE}
    )`.execute(db);
  return numAffectedRows === BigInt(PARTS_AT_ONCE);
}

/** Files whose parts are not needed any more: they were brought in, or nothing was done with them since `before` (epoch milliseconds). */
export async function findForgottenAcrossProjects(
  db: Db,
  before: number,
): Promise<{ projectId: string; id: string; isBrought: boolean }[]> {
  const { rows } = await sql<{ projectId: string; id: string; isBrought: boolean }>`
    select i.project_id as "projectId", i.id, i.state = 'done' and not i.is_dry_run as "isBrought" from ${t.imports} i
    where exists (select from ${t.importParts} p where p.project_id = i.project_id and p.import_id = i.id)
      and ((i.state = 'done' and not i.is_dry_run)
        or (i.state <> 'running' and greatest(i.made_at, i.started_at, i.ended_at) < ${before}))
    order by i.made_at, i.id limit 100`.execute(db);
  return rows;
}

/** Gives up a file that nothing was done with: it has to be uploaded anew. Its parts are deleted at once. */
export async function giveUpFile(
  db: Db,
  projectId: string,
  { id, fault, at, before }: { id: string; fault: string; at: number; before: number },
): Promise<void> {
  await sql`
    with ${CHANGED} as (
      update ${t.imports} i set state = 'failed', fault = ${fault}, ended_at = ${at}
      where i.project_id = ${projectId} and i.id = ${id} and i.state <> 'running'
        and greatest(i.made_at, i.started_at, i.ended_at) < ${before}
      returning i.*
    ), ${endedMessagesCtes.ctes}
    delete from ${t.importParts} p using ${CHANGED} g where p.project_id = ${projectId} and p.import_id = g.id`.execute(
    db,
  );
}

/** Deletes refusals of imports that ended before an instant (epoch milliseconds). */
export async function forgetRefusalsAcrossProjects(db: Db, before: number): Promise<void> {
  await sql`
    delete from ${t.importRefusals} r using ${t.imports} i
    where i.project_id = r.project_id and i.id = r.import_id and i.ended_at < ${before} and i.state <> 'running'`.execute(
    db,
  );
}
