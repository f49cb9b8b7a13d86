import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

export type CaughtMail = { id: string; recipient: string; raw: Buffer; at: number };

/** A message with the project that it was caught for. */
export type OwnedMail = CaughtMail & { projectId: string };

/** Messages that are kept of each project; older ones are deleted. */
const KEPT = 1_000;

/**
 * Keeps a message. `user`: whose facts fill it. Of a user who was erased meanwhile nothing is kept; while they are being erased, it waits for
 * that.
 */
export async function insertCaughtMail(
  db: Db,
  projectId: string,
  { user, ...message }: CaughtMail & { user: UserRef | null },
): Promise<void> {
  const { id, recipient, raw, at } = message;
  if (user === null) {
    await db
      .insertInto("caughtMessages")
      .values({ ...message, projectId })
      .execute();
    return;
  }
  await sql`
    with there as materialized (
      select from ${t.users} where lane = ${user.lane} and user_key = ${user.userKey} and project_id = ${projectId} for key share
    )
    insert into ${t.caughtMessages} (id, project_id, recipient, raw, at, user_key)
    select ${id}::uuid, ${projectId}::uuid, ${recipient}, ${raw}::bytea, ${at}::int8, ${user.userKey}::uuid from there`.execute(
    db,
  );
}

/** Deletes the messages that are filled with facts of a user, and those to some addresses. */
export async function eraseCaughtMail(
  db: Db,
  projectId: string,
  { userKey }: UserRef,
  recipients: readonly string[],
): Promise<void> {
  const all = recipients.map((recipient) => recipient.toLowerCase());
  await sql`
    delete from ${t.caughtMessages}
    where project_id = ${projectId} and (user_key = ${userKey} or lower(recipient) = any(${all}::text[]))`.execute(
    db,
  );
}

/** A message in a list: of its bytes only the beginning, which is its headers. */
export type CaughtMailEntry = {
  id: string;
  recipient: string;
  head: Buffer;
  at: number;
  projectName: string;
};

const HEAD_BYTES = 16_384;

/** The newest messages of some projects, newest first. @param projectIds null for all projects */
export async function listCaughtMailAcrossProjects(
  db: Db,
  projectIds: readonly string[] | null,
  limit: number,
): Promise<CaughtMailEntry[]> {
  return db
    .selectFrom("caughtMessages as m")
    .innerJoin("projects as p", "p.id", "m.projectId")
    .select(["m.id", "m.recipient", "m.at", "p.name as projectName"])
    .select(sql<Buffer>`substring(m.raw from 1 for ${sql.lit(HEAD_BYTES)})`.as("head"))
    .$if(projectIds !== null, (some) => some.where(sql<boolean>`m.project_id = any(${projectIds}::uuid[])`))
    .orderBy("m.at", "desc")
    .orderBy("m.id", "desc")
    .limit(limit)
    .execute();
}

export async function findCaughtMailAcrossProjects(db: Db, id: string): Promise<OwnedMail | null> {
  const row = await db
    .selectFrom("caughtMessages")
    .select(["id", "projectId", "recipient", "raw", "at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes all but the newest messages of every project. */
export async function trimCaughtMailAcrossProjects(db: Db): Promise<void> {
  await db
    .deleteFrom("caughtMessages as m")
    .where("m.id", "in", (old) =>
      old
        .selectFrom((each) =>
          each
            .selectFrom("caughtMessages")
            .select("id")
            .select((row) =>
              row.fn
                .agg<number>("row_number")
                .over((o) => o.partitionBy("projectId").orderBy("at", "desc").orderBy("id", "desc"))
                .as("place"),
            )
            .as("ranked"),
        )
        .select("id")
        .where("place", ">", KEPT),
    )
    .execute();
}

/** The messages that were caught for a project, newest first, without its name. Rows and their number are of one snapshot. */
export async function pageOfCaughtMail(
  db: Db,
  projectId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: Omit<CaughtMailEntry, "projectName">[]; total: number }> {
  const rows = await db
    .selectFrom("caughtMessages as m")
    .select(["m.id", "m.recipient", "m.at"])
    .select(sql<Buffer>`substring(m.raw from 1 for ${sql.lit(HEAD_BYTES)})`.as("head"))
    .where("m.projectId", "=", projectId)
    .orderBy("m.at", "desc")
    .orderBy("m.id", "desc")
    .offset(offset)
    .limit(limit)
    .execute();
  const { total } = await db
    .selectFrom("caughtMessages")
    .select((all) => all.fn.countAll<number>().as("total"))
    .where("projectId", "=", projectId)
    .executeTakeFirstOrThrow();
  return { rows, total };
}

export async function findCaughtMail(db: Db, projectId: string, id: string): Promise<CaughtMail | null> {
  const row = await db
    .selectFrom("caughtMessages")
    .select(["id", "recipient", "raw", "at"])
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}
