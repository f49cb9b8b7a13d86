import { beginningOf } from "@tidings/client/text";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";

/** A sign-in that lasts, in the tables of the library of the sign-in. */
export type SessionRow = {
  id: string;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  browser: string | null;
};

/** Characters of what a browser says of itself. */
const MAX_BROWSER = 500;

export async function listSessions(db: Db, personId: string, now: number): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select "id", (extract(epoch from "createdAt") * 1000)::bigint as "createdAt",
      (extract(epoch from "updatedAt") * 1000)::bigint as "lastSeenAt",
      (extract(epoch from "expiresAt") * 1000)::bigint as "expiresAt", "userAgent" as browser
    from people."session"
    where "userId" = ${personId} and "expiresAt" > ${new Date(now)}
    order by "updatedAt" desc limit 100`.execute(db);
  return rows.map((row) => ({
    ...row,
    browser: row.browser === null ? null : beginningOf(row.browser, MAX_BROWSER),
  }));
}

/** Ends a session of a person; false where they have none with this id. */
export async function deleteSession(db: Db, personId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from people."session" where "userId" = ${personId} and "id" = ${id}::uuid returning "id"`.execute(
    db,
  );
  return rows.length > 0;
}

/** Ends all sessions of a person but one. @param id null to end all */
export async function deleteOtherSessions(db: Db, personId: string, id: string | null): Promise<void> {
  await sql`
    delete from people."session" where "userId" = ${personId} and "id" is distinct from ${id}::uuid`.execute(
    db,
  );
}

/** Forgets sessions and challenges that have ended. */
export async function forgetEndedAcrossProjects(db: Db, now: number): Promise<void> {
  await sql`delete from people."session" where "expiresAt" < ${new Date(now)}`.execute(db);
  await sql`delete from people."verification" where "expiresAt" < ${new Date(now)}`.execute(db);
}

export async function countPasskeys(db: Db, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from people."passkey" where "userId" = ${personId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * The password of an account as it is stored, found by its address or by a passkey; null where there is none. With "wait" it is read once a
 * transaction that replaces it is over.
 */
export async function findPasswordHash(
  db: Db,
  by: { email: string } | { credentialId: string },
  lock: "none" | "wait",
): Promise<string | null> {
  const person =
    "email" in by
      ? sql`select "id" from people."user" where "email" = lower(${by.email})`
      : sql`select "userId" from people."passkey" where "credentialID" = ${by.credentialId}`;
  const { rows } = await sql<{ password: string | null }>`
    select "password" from people."account"
    where "providerId" = 'credential' and "userId" in (${person})
    ${lock === "wait" ? sql`for share` : sql``}`.execute(db);
  return rows[0]?.password ?? null;
}

/** Whether a session is still there, once a transaction that ends it is over. */
export async function isSessionThere(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`select from people."session" where "id" = ${id}::uuid for key share`.execute(db);
  return rows.length > 0;
}

/** Deletes a passkey of a person, by its credential. */
export async function deletePasskey(db: Db, personId: string, credentialId: string): Promise<void> {
  await sql`
    delete from people."passkey" where "userId" = ${personId} and "credentialID" = ${credentialId}`.execute(
    db,
  );
}
