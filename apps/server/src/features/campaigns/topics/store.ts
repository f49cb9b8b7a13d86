import { type Selectable, sql } from "kysely";
import { apiId } from "../../../domain/ids.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { Topic } from "./schema.ts";

/** A topic as it is kept. The database takes no other values of `status`. */
export type TopicRow = Omit<Selectable<Tables["topics"]>, "status"> & { status: Topic["status"] };

/** A topic as the API shows it. */
export const toTopic = ({ id, projectId: _, isDefaultIn, ...rest }: TopicRow): Topic => ({
  ...rest,
  id: apiId("top", id),
  isDefault: isDefaultIn ? "in" : "out",
});

export type NewTopic = Omit<TopicRow, "projectId" | "status" | "updatedAt">;

/** Answers whether it was inserted: false where another topic has its key. */
export async function insertTopic(db: Db, projectId: string, topic: NewTopic): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("topics")
    .values({ ...topic, projectId, status: "active", updatedAt: topic.createdAt })
    .onConflict((found) => found.columns(["projectId", "key"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** A topic by its id (UUID) or its key; null where the project has no such one. */
export async function findTopic(
  db: Db,
  projectId: string,
  [column, value]: readonly [column: "id" | "key", value: string],
  lock: "read" | "lock" = "read",
): Promise<TopicRow | null> {
  const row = await db
    .selectFrom("topics")
    .selectAll()
    .where("projectId", "=", projectId)
    .where(column, "=", value)
    .$if(lock === "lock", (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return (row as TopicRow | undefined) ?? null;
}

/** The topics of a project by their names, those with these keys where some are named. */
export async function listTopicRows(
  db: Db,
  projectId: string,
  { status = null, keys = null }: { status?: Topic["status"] | null; keys?: readonly string[] | null },
): Promise<TopicRow[]> {
  const rows = await db
    .selectFrom("topics")
    .selectAll()
    .where("projectId", "=", projectId)
    .$if(status !== null, (query) => query.where("status", "=", status ?? "active"))
    .$if(keys !== null, (query) => query.where("key", "in", [...(keys ?? [])]))
    .orderBy(sql`lower(name)`)
    .orderBy("key")
    .limit(1_000)
    .execute();
  return rows as TopicRow[];
}

/** How many topics of a project are active. Locks the project's topics, so that two that are made at once are counted one after the other. */
export async function countActiveTopics(db: Db, projectId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('topics'), hashtext(${projectId}))`.execute(db);
  const { count } = await db
    .selectFrom("topics")
    .select(sql<number>`count(*)`.as("count"))
    .where("projectId", "=", projectId)
    .where("status", "=", "active")
    .executeTakeFirstOrThrow();
  return count;
}

export type TopicChange = Partial<
  Pick<TopicRow, "name" | "description" | "doubleOptIn" | "max" | "days" | "status">
>;

export async function updateTopicRow(
  db: Db,
  projectId: string,
  id: string,
  change: TopicChange & { updatedAt: number },
): Promise<void> {
  await db
    .updateTable("topics")
    .set(change)
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .execute();
}

/** Whether a campaign of a topic (UUID) runs, or is paused. */
export async function isTopicInUse(db: Db, projectId: string, topicId: string): Promise<boolean> {
  const { rows } = await sql<{ isInUse: boolean }>`
    select exists (
      select from ${t.campaigns} where project_id = ${projectId} and topic_id = ${topicId} and status in ('running', 'paused')
    ) as "isInUse"`.execute(db);
  return rows[0]?.isInUse ?? false;
}

/** What a campaign is about: only readers who want this topic get it. `isDefaultIn`: whether a reader who has chosen nothing does. `id` is a UUID. */
export type CampaignTopic = {
  id: string;
  isDefaultIn: boolean;
  /** At most so many messages of it within so many days for one reader; both null for any number. */
  max: number | null;
  days: number | null;
};

/** SQL: the topic of the campaign `c` as `CampaignTopic`; null where it has none. */
export const topicOfSql = (c: string): SqlText =>
  sqlText(`(
    select jsonb_build_object('id', p.id, 'isDefaultIn', p.is_default_in, 'max', p.max, 'days', p.days) from ${t.topics} p where p.id = ${c}.topic_id
  )`);
