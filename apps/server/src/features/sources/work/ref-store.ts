import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { pauseAfter, restedSql, unleasedSql, type Work } from "./rules.ts";

type Row = Selectable<Tables["sourceRefs"]>;

/** `work` is what the lease is about; null without one. */
export type RefRow = Omit<Row, "work"> & { work: Work | null };

// Only checked work is written to this column.
const toRef = (row: Row): RefRow => row as RefRow;

export async function findRef(
  db: Db,
  projectId: string,
  id: string,
  lock: "read" | "for update" = "read",
): Promise<RefRow | null> {
  const row = await db
    .selectFrom("sourceRefs")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return row === undefined ? null : toRef(row);
}

/** A ref with whether something that it contributed still stands. */
export type KnownRef = RefRow & { isStanding: boolean };

/** The refs of a source. */
export async function listRefs(db: Db, projectId: string, sourceId: string): Promise<KnownRef[]> {
  const rows = await db
    .selectFrom("sourceRefs as r")
    .selectAll("r")
    .select(
      sql<boolean>`exists (
        select from ${t.sourceContributions} k
        where k.project_id = r.project_id and k.ref_id = r.id and k.withdrawn_at is null and k.kind <> 'withdraw'
      )`.as("isStanding"),
    )
    .where("r.projectId", "=", projectId)
    .where("r.sourceId", "=", sourceId)
    .orderBy("r.refKey")
    .execute();
  return rows.map((row) => ({ ...toRef(row), isStanding: row.isStanding }));
}

const isUnleased = (expiresAt: string, now: number): RawBuilder<boolean> =>
  withValue((at) => unleasedSql(expiresAt, at), now);

/** Whether the work of a ref may be claimed, but for the bounds of its project. For statements in which `r` is the ref and `s` its source. */
export const isRefDue = (now: number): RawBuilder<boolean> => sql<boolean>`(
  s.enabled and not s.paused and s.state = 'ok' and r.cursor_sha <> r.head_sha
  and ${withValue((at) => restedSql("r.retry_at", at), now)} and ${isUnleased("r.lease_expires_at", now)}
)`;

export type DueWork = { id: string; sourceId: string; url: string; branch: string; refKey: string };

/** Refs whose work may be claimed now, the longest waiting first. `now` is epoch milliseconds. */
export async function listDue(db: Db, projectId: string, now: number, limit: number): Promise<DueWork[]> {
  const { rows } = await sql<DueWork>`
    select r.id, r.source_id as "sourceId", s.url, s.branch, r.ref_key as "refKey"
    from ${t.sourceRefs} r
    join ${t.sources} s on s.project_id = r.project_id and s.id = r.source_id
    where r.project_id = ${projectId} and ${isRefDue(now)}
    order by r.retry_at, r.created_at, r.id limit ${limit}`.execute(db);
  return rows;
}

/** Where a ref stands. `connectedAt`: a ref that is new, or that has become another one, begins there, so that no history is announced. */
export type Head = { refKey: string; generation: number; headSha: string; connectedAt: string };

/** Writes the head of a ref; a new ref begins where it was connected. */
export async function putHead(
  db: Db,
  where: { projectId: string; sourceId: string; id: string; now: number },
  { refKey, generation, headSha, connectedAt }: Head,
): Promise<void> {
  const { projectId, sourceId, id, now } = where;
  await db
    .insertInto("sourceRefs")
    .values({
      id,
      projectId,
      sourceId,
      refKey,
      generation,
      headSha,
      cursorSha: connectedAt,
      createdAt: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["projectId", "sourceId", "refKey"])
        .doUpdateSet({ generation, headSha })
        .where(({ or, eb }) =>
          or([eb("sourceRefs.generation", "<", generation), eb("sourceRefs.headSha", "<>", headSha)]),
        ),
    )
    .execute();
}

/** Has a ref begin anew at its head, because its source has become another one: what was claimed is worth nothing. */
export async function reconnect(
  db: Db,
  projectId: string,
  id: string,
  { generation, headSha }: Pick<Head, "generation" | "headSha">,
): Promise<void> {
  await db
    .updateTable("sourceRefs")
    .set({ generation, headSha, cursorSha: headSha, tries: 0, retryAt: 0, ...NO_LEASE })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("generation", "<", generation)
    .execute();
}

const NO_LEASE = { leaseDigest: null, leaseExpiresAt: null, work: null };

/**
 * Gives a lease on the work of a ref that stands where it was read and has none; answers whether it did. Until it is given back, the work
 * counts as tried: it rests for a while once the lease has run out.
 */
export async function grantLease(
  db: Db,
  { projectId, id, cursorSha, headSha, tries }: RefRow,
  { digest, expiresAt, work, now }: { digest: Buffer; expiresAt: number; work: Work; now: number },
): Promise<boolean> {
  const granted = await db
    .updateTable("sourceRefs")
    .set({
      leaseDigest: digest,
      leaseExpiresAt: expiresAt,
      work: JSON.stringify(work),
      tries: tries + 1,
      retryAt: expiresAt + pauseAfter(tries + 1),
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("cursorSha", "=", cursorSha)
    .where("headSha", "=", headSha)
    .where(isUnleased("lease_expires_at", now))
    .returning("id")
    .executeTakeFirst();
  if (granted === undefined) return false;
  const { fromSha, toSha } = work;
  await db
    .insertInto("sourceClaims")
    .values({ id: newUuid(now), projectId, refId: id, fromSha, toSha, grantedAt: now })
    .execute();
  return true;
}

/** Moves a ref on from one commit to another: all up to there is drafted. Its lease ends. */
export async function moveCursor(db: Db, { projectId, id, cursorSha }: RefRow, toSha: string): Promise<void> {
  await db
    .updateTable("sourceRefs")
    .set({ cursorSha: toSha, tries: 0, retryAt: 0, ...NO_LEASE })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("cursorSha", "=", cursorSha)
    .execute();
}

/** Gives the lease of a refused plan back, if it is this one's: the work rests for a while. */
export async function releaseLease(
  db: Db,
  projectId: string,
  id: string,
  { digest, tries, now }: { digest: Buffer; tries: number; now: number },
): Promise<void> {
  await db
    .updateTable("sourceRefs")
    .set({ retryAt: now + pauseAfter(tries), ...NO_LEASE })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("leaseDigest", "=", digest)
    .execute();
}

/** Finished work of a ref. */
export type FinishedWork = {
  fromSha: string;
  toSha: string;
  planHash: string;
  result: Record<string, unknown>;
};

export async function findPlan(
  db: Db,
  projectId: string,
  refId: string,
  toSha: string,
): Promise<FinishedWork | null> {
  const row = await db
    .selectFrom("sourcePlans")
    .select(["fromSha", "toSha", "planHash", "result"])
    .where("projectId", "=", projectId)
    .where("refId", "=", refId)
    .where("toSha", "=", toSha)
    .executeTakeFirst();
  return row === undefined ? null : (row as FinishedWork);
}

type NewPlan = FinishedWork & {
  refId: string;
  shas: string[];
  authored: string[];
  skipped: string[];
  runId: string;
  createdAt: number;
};

/** Keeps what finished work came to. A ref may come to the same commit again, after it was moved back. */
export async function putPlan(db: Db, projectId: string, { result, ...plan }: NewPlan): Promise<void> {
  const row = { ...plan, projectId, result: JSON.stringify(result) };
  await db
    .insertInto("sourcePlans")
    .values(row)
    .onConflict((conflict) => conflict.columns(["refId", "toSha"]).doUpdateSet(row))
    .execute();
}
