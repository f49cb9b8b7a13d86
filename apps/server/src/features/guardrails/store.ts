import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../platform/db/db.ts";
import { withValue } from "../../platform/db/statements/fragment.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../platform/time/far-ahead.ts";
import type { SentCounts } from "../campaigns/goals/rates.pure.ts";

export type BreachRow = Selectable<Tables["guardrailBreaches"]>;

/** Campaigns that are running under a goal with one of these guardrails. `now` is epoch milliseconds. */
export async function findWatchedAcrossProjects(
  db: Db,
  guardrails: readonly string[],
  now: number,
): Promise<{ projectId: string; campaignId: string }[]> {
  return db
    .selectFrom("campaigns as c")
    .innerJoin("goals as g", (join) =>
      join.onRef("g.id", "=", "c.goalId").onRef("g.projectId", "=", "c.projectId"),
    )
    .select(["c.projectId", "c.id as campaignId"])
    .where("c.status", "=", "running")
    .where(sql<boolean>`coalesce(c.deliver_until > ${now}, true)`)
    .where(sql<boolean>`g.guardrails ?| ${[...guardrails]}::text[]`)
    .orderBy("c.id")
    .execute();
}

/**
 * What was sent of a campaign and came of it; on the web, what was shown counts as sent. Unlike the *Sent* that people read, mail that was
 * refused for its address is not among it: who got nothing can complain of nothing, so a limit of a rate is never looser for it.
 */
export async function countSent(db: Db, projectId: string, campaignId: string): Promise<SentCounts> {
  const sum = (column: string) => sql<number>`coalesce(sum(${sql.ref(column)}), 0)::int8`;
  return db
    .selectFrom("campaigns as c")
    .leftJoin("campaignStats as s", (join) =>
      join.onRef("s.campaignId", "=", "c.id").onRef("s.projectId", "=", "c.projectId"),
    )
    .select([
      sql<number>`coalesce(sum(case c.channel when 'web_inapp' then s.shown else s.sent end), 0)::int8`.as(
        "sent",
      ),
      sum("s.unsubscribed").as("unsubscribed"),
      sum("s.complained").as("complained"),
    ])
    .where("c.projectId", "=", projectId)
    .where("c.id", "=", campaignId)
    .executeTakeFirstOrThrow();
}

/** When a person cleared the breaches of a campaign (epoch ms), and what had been sent of it then. */
export type Clearing = { at: number; counts: SentCounts };

/**
 * Dates clearings `now` that a clock dated which was ahead: what they let pass was before, and nothing after them would be counted for as long.
 */
export async function dateClearingsBackAcrossProjects(db: Db, now: number): Promise<void> {
  await sql`
    update ${t.guardrailBreaches} set cleared_at = ${now}
    where ${withValue((at) => farAheadSql("cleared_at", at, 0), now)}`.execute(db);
}

/** The last clearing of a campaign's breaches, or null. */
export async function lastCleared(db: Db, projectId: string, campaignId: string): Promise<Clearing | null> {
  const row = await db
    .selectFrom("guardrailBreaches")
    .select(["clearedAt", "clearedCounts"])
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("clearedAt", "is not", null)
    .orderBy("clearedAt", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.clearedAt === null) return null;
  // Only counts are written to this column; older rows have others beside these, which nothing reads.
  return { at: row.clearedAt, counts: row.clearedCounts as SentCounts };
}

export type NewBreach = Pick<
  BreachRow,
  "runId" | "campaignId" | "guardrail" | "limitValue" | "observed" | "e" | "breachedAt"
> & { counts: string };

export async function insertBreach(db: Db, projectId: string, breach: NewBreach): Promise<void> {
  await db
    .insertInto("guardrailBreaches")
    .values({ ...breach, projectId })
    .execute();
}

/** Clears what is not cleared yet; answers how many breaches that were. */
export async function markCleared(
  db: Db,
  projectId: string,
  campaignId: string,
  { at, by, reason, counts }: { at: number; by: string; reason: string; counts: SentCounts },
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("guardrailBreaches")
    .set({ clearedAt: at, clearedBy: by, clearReason: reason, clearedCounts: JSON.stringify(counts) })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("clearedAt", "is", null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** A campaign (UUID) that a guardrail has paused, and that no person has allowed since. `breachedAt` is epoch milliseconds. */
export type OpenBreach = Pick<
  BreachRow,
  "runId" | "campaignId" | "guardrail" | "limitValue" | "observed" | "breachedAt"
> & { campaignName: string };

/** The last open breach of each campaign that is paused, the newest first. */
export async function listOpenBreaches(db: Db, projectId: string, limit: number): Promise<OpenBreach[]> {
  const { rows } = await sql<OpenBreach>`
    select * from (
      select distinct on (c.id) c.id as "campaignId", c.name as "campaignName", b.run_id as "runId", b.guardrail,
        b.limit_value as "limitValue", b.observed, b.breached_at as "breachedAt"
      from ${t.guardrailBreaches} b join ${t.campaigns} c on c.id = b.campaign_id and c.project_id = b.project_id
      where b.project_id = ${projectId} and b.cleared_at is null and c.status = 'paused'
      order by c.id, b.breached_at desc
    ) last
    order by "breachedAt" desc, "campaignId" limit ${limit}`.execute(db);
  return rows;
}

/** Newest first, at most 1,000, with the names of the campaigns. */
export async function listBreaches(
  db: Db,
  projectId: string,
): Promise<(BreachRow & { campaignName: string })[]> {
  return db
    .selectFrom("guardrailBreaches as b")
    .innerJoin("campaigns as c", (join) =>
      join.onRef("c.id", "=", "b.campaignId").onRef("c.projectId", "=", "b.projectId"),
    )
    .selectAll("b")
    .select("c.name as campaignName")
    .where("b.projectId", "=", projectId)
    .orderBy("b.breachedAt", "desc")
    .orderBy("b.runId", "desc")
    .limit(1_000)
    .execute();
}

/** A breach with the campaign that was paused for it, and why, in words. */
export type BreachOfGoal = BreachRow & { campaignName: string; rationale: string | null };

/** The breaches of the guardrails of a goal (UUID), newest first: those of campaigns that were its own then. */
export async function listBreachesOfGoal(
  db: Db,
  projectId: string,
  goalId: string,
  limit: number,
): Promise<BreachOfGoal[]> {
  return db
    .selectFrom("guardrailBreaches as b")
    .innerJoin("agentRuns as r", (join) =>
      join.onRef("r.id", "=", "b.runId").onRef("r.projectId", "=", "b.projectId"),
    )
    .innerJoin("campaigns as c", (join) =>
      join.onRef("c.id", "=", "b.campaignId").onRef("c.projectId", "=", "b.projectId"),
    )
    .selectAll("b")
    .select(["c.name as campaignName", "r.rationale"])
    .where("b.projectId", "=", projectId)
    .where("r.goalId", "=", goalId)
    .orderBy("b.breachedAt", "desc")
    .orderBy("b.runId", "desc")
    .limit(limit)
    .execute();
}
