import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import type { FileFormat, ImportKind, ImportMapping, ImportOptions, Preset } from "./schema.ts";

/** An import with the numbers of its parts, and without the column of a lease. */
export type ImportRow = Omit<Selectable<Tables["imports"]>, "leaseOwner"> & { parts: number[] };

/** SQL of an import `i` as a row with the numbers of its parts. */
const COLUMNS = sql`
  i.project_id as "projectId", i.id, i.kind, i.name, i.preset, i.declared_bytes as "declaredBytes", i.declared_sha256 as "declaredSha256",
  i.bytes, i.format, i.mapping, i.options, i.who_left as "whoLeft", i.state, i.is_dry_run as "isDryRun", i.fault,
  i.read_offset as "readOffset", i.read_line as "readLine", i.bytes_read as "bytesRead", i.lines, i.written, i.known, i.refused, i.reasons,
  i.made_by as "madeBy", i.made_at as "madeAt", i.started_by as "startedBy", i.started_at as "startedAt", i.ended_at as "endedAt", i.tries,
  array(
    select p.n from ${t.importParts} p where p.project_id = i.project_id and p.import_id = i.id order by p.n
  ) as parts`;

/** What a file is, before it is uploaded. `at` is epoch milliseconds. */
export type NewImport = {
  id: string;
  kind: ImportKind;
  name: string;
  preset: Preset | null;
  mapping: ImportMapping | null;
  options: ImportOptions;
  declaredBytes: number | null;
  declaredSha256: Buffer | null;
  by: string;
  at: number;
};

export async function insertImport(db: Db, projectId: string, made: NewImport): Promise<void> {
  await db
    .insertInto("imports")
    .values({
      projectId,
      id: made.id,
      kind: made.kind,
      name: made.name,
      preset: made.preset,
      mapping: made.mapping === null ? null : JSON.stringify(made.mapping),
      options: JSON.stringify(made.options),
      declaredBytes: made.declaredBytes,
      declaredSha256: made.declaredSha256,
      madeBy: made.by,
      madeAt: made.at,
    })
    .execute();
}

/** The newest import of the very file that has not ended: the one with the same name, kind and digest that is still uploaded or waits. */
export async function findUnfinished(
  db: Db,
  projectId: string,
  { kind, name, sha256 }: { kind: ImportKind; name: string; sha256: Buffer },
): Promise<ImportRow | null> {
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from ${t.imports} i
    where i.project_id = ${projectId} and i.kind = ${kind} and i.name = ${name} and i.declared_sha256 = ${sha256}
      and i.state in ('waiting', 'running', 'stopped')
    order by i.made_at desc, i.id desc limit 1`.execute(db);
  return rows[0] ?? null;
}

export async function findImport(db: Db, projectId: string, id: string): Promise<ImportRow | null> {
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from ${t.imports} i where i.project_id = ${projectId} and i.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Locks an import until the transaction ends, so that nothing else changes its state or its parts. Answers whether there is one. */
export async function lockImport(db: Db, projectId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("imports")
    .select("id")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** The newest first. */
export async function readImports(
  db: Db,
  projectId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: ImportRow[]; total: number }> {
  const { total } = await db
    .selectFrom("imports")
    .select(sql<number>`count(*)`.as("total"))
    .where("projectId", "=", projectId)
    .executeTakeFirstOrThrow();
  const { rows } = await sql<ImportRow>`
    select ${COLUMNS} from ${t.imports} i where i.project_id = ${projectId}
    order by i.made_at desc, i.id desc offset ${offset} limit ${limit}`.execute(db);
  return { rows, total };
}

/** Bytes of all parts that a project has. */
export async function countPartBytes(db: Db, projectId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom("imports as i")
    .select(sql<number>`coalesce(sum(i.bytes), 0)::int8`.as("bytes"))
    .where("projectId", "=", projectId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("importParts as p")
          .select(sql`1`.as("one"))
          .whereRef("p.projectId", "=", "i.projectId")
          .whereRef("p.importId", "=", "i.id"),
      ),
    )
    .executeTakeFirstOrThrow();
  return bytes;
}

export async function findPartDigest(
  db: Db,
  projectId: string,
  importId: string,
  n: number,
): Promise<Buffer | null> {
  const row = await db
    .selectFrom("importParts")
    .select("sha256")
    .where("projectId", "=", projectId)
    .where("importId", "=", importId)
    .where("n", "=", n)
    .executeTakeFirst();
  return row?.sha256 ?? null;
}

/** Adds a part to an import that is locked. */
export async function insertPart(
  db: Db,
  projectId: string,
  importId: string,
  { n, sha256, bytes }: { n: number; sha256: Buffer; bytes: Buffer },
): Promise<void> {
  await db.insertInto("importParts").values({ projectId, importId, n, sha256, bytes }).execute();
  await db
    .updateTable("imports")
    .set({ bytes: sql<number>`bytes + ${bytes.length}` })
    .where("projectId", "=", projectId)
    .where("id", "=", importId)
    .where("state", "=", "waiting")
    .execute();
}

/** Bytes of a part from one place to before another, counted from 0. */
export async function readPart(
  db: Db,
  projectId: string,
  importId: string,
  { n, from, to }: { n: number; from: number; to: number },
): Promise<Buffer | null> {
  const row = await db
    .selectFrom("importParts")
    .select(sql<Buffer>`substring(bytes from ${from + 1}::int4 for ${to - from}::int4)`.as("bytes"))
    .where("projectId", "=", projectId)
    .where("importId", "=", importId)
    .where("n", "=", n)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

/** How many bytes each part has, by its number. */
export async function readPartSizes(
  db: Db,
  projectId: string,
  importId: string,
): Promise<{ n: number; bytes: number }[]> {
  return db
    .selectFrom("importParts")
    .select(["n", sql<number>`octet_length(bytes)`.as("bytes")])
    .where("projectId", "=", projectId)
    .where("importId", "=", importId)
    .orderBy("n")
    .execute();
}

/** How a file is read from now on. `anew`: from its beginning; else from where it was stopped. */
export type Start = {
  format: FileFormat;
  preset: Preset | null;
  mapping: ImportMapping;
  options: ImportOptions;
  whoLeft: string | null;
  isDryRun: boolean;
  anew: boolean;
  by: string;
  at: number;
};

/** Starts an import that does not run; answers whether it did. @throws a unique violation where another one of the project runs */
export async function startReading(db: Db, projectId: string, id: string, start: Start): Promise<boolean> {
  const { format, preset, mapping, options, whoLeft, isDryRun, anew, by, at } = start;
  const { numUpdatedRows } = await db
    .updateTable("imports")
    .set({
      format: JSON.stringify(format),
      preset,
      mapping: JSON.stringify(mapping),
      options: JSON.stringify(options),
      whoLeft,
      isDryRun,
      state: "running",
      fault: null,
      startedBy: by,
      startedAt: at,
      endedAt: null,
      tries: 0,
      ...(anew && {
        readOffset: 0,
        readLine: 1,
        bytesRead: 0,
        lines: 0,
        written: 0,
        known: 0,
        refused: 0,
        reasons: "[]",
      }),
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("state", "<>", "running")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The import of a project that runs. */
export async function findRunning(db: Db, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom("imports")
    .select("id")
    .where("projectId", "=", projectId)
    .where("state", "=", "running")
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Stops an import that runs; answers whether it did. What is being written just now is not. */
export async function stopReading(db: Db, projectId: string, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("imports")
    .set({ state: "stopped", endedAt: at, leaseOwner: null })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("state", "=", "running")
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function removeImport(db: Db, projectId: string, id: string): Promise<void> {
  await db
    .deleteFrom("imports")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("state", "<>", "running")
    .execute();
}

export async function deleteRefusals(db: Db, projectId: string, importId: string): Promise<void> {
  await db
    .deleteFrom("importRefusals")
    .where("projectId", "=", projectId)
    .where("importId", "=", importId)
    .execute();
}

export type RefusalRow = { line: number; place: number; field: string; rule: string; text: string };

/** The refusals of an import behind one of them, in the order of the file. */
export async function nextRefusals(
  db: Db,
  projectId: string,
  importId: string,
  after: Pick<RefusalRow, "line" | "place"> | null,
  limit: number,
): Promise<RefusalRow[]> {
  const { line, place } = after ?? { line: 0, place: 0 };
  return db
    .selectFrom("importRefusals")
    .select(["line", "place", "field", "rule", "text"])
    .where("projectId", "=", projectId)
    .where("importId", "=", importId)
    .where(sql<boolean>`(line, place) > (${line}, ${place})`)
    .orderBy("line")
    .orderBy("place")
    .limit(limit)
    .execute();
}

/** How many campaigns run that send mail or push, by themselves to every user who matches. */
export async function countSendingCampaigns(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom("campaigns")
    .select(sql<number>`count(*)`.as("count"))
    .where("projectId", "=", projectId)
    .where("status", "=", "running")
    .where("purpose", "=", "marketing")
    .where("channel", "in", ["email", "push"])
    .where("once", "=", false)
    .executeTakeFirstOrThrow();
  return count;
}
