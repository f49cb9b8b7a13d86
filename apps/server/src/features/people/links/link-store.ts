import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import type { PersonRole } from "../../../platform/http/contract/person.ts";
import type { LinkKind } from "../rules.ts";

/** What a link is for. A role without projects is one in all of them. */
export type LinkRow = {
  kind: LinkKind;
  organizationId: string;
  email: string | null;
  role: PersonRole | null;
  projectIds: string[] | null;
  personId: string | null;
  /** The name of who made it. */
  madeBy: string;
  /** The person who made it; null for the server and for commands. */
  madeById: string | null;
  createdAt: number;
  expiresAt: number;
};

const COLUMNS = [
  ...(["kind", "organizationId", "email", "role", "projectIds", "personId"] as const),
  ...(["madeBy", "madeById", "createdAt", "expiresAt"] as const),
] as const;

/** Writes a link. An earlier one for the same person and the same projects that has not been used stops working. */
export async function insertLink(db: Db, row: LinkRow & { digest: Buffer }): Promise<void> {
  if (row.kind !== "first")
    await db
      .deleteFrom("personLinks")
      .where("organizationId", "=", row.organizationId)
      .where("kind", "=", row.kind)
      .where("usedAt", "is", null)
      .where(sql<boolean>`
        (email, person_id, project_ids) is not distinct from
        (${row.email}::text, ${row.personId}::uuid, ${row.projectIds}::uuid[])`)
      .execute();
  await db.insertInto("personLinks").values(row).execute();
}

/** A link that works, by the hash of its secret, which is all that a request has to bring. */
export async function findLinkAcrossProjects(db: Db, digest: Buffer, now: number): Promise<LinkRow | null> {
  const row = await db
    .selectFrom("personLinks")
    .select(COLUMNS)
    .where("digest", "=", digest)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .executeTakeFirst();
  return row ?? null;
}

/** Marks a link as used; false where another request was faster. */
export async function useUpLink(db: Db, digest: Buffer, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("personLinks")
    .set({ usedAt: now })
    .where("digest", "=", digest)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Invitations that wait for their person. @param projectId only those to this project; null for all */
export async function listInvitations(
  db: Db,
  organizationId: string,
  projectId: string | null,
  now: number,
): Promise<LinkRow[]> {
  return db
    .selectFrom("personLinks")
    .select(COLUMNS)
    .where("organizationId", "=", organizationId)
    .where("kind", "=", "invitation")
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .where(projectId === null ? sql<boolean>`true` : sql<boolean>`${projectId} = any(project_ids)`)
    .orderBy("createdAt")
    .orderBy("email")
    .execute();
}

/** Withdraws an invitation; false where there is none. @param projectId only one that is for this project alone; null for any */
export async function deleteInvitation(
  db: Db,
  organizationId: string,
  projectId: string | null,
  email: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("personLinks")
    .where("organizationId", "=", organizationId)
    .where("kind", "=", "invitation")
    .where("usedAt", "is", null)
    .where("email", "=", email)
    .where(projectId === null ? sql<boolean>`true` : sql<boolean>`project_ids = array[${projectId}]::uuid[]`)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** A link of a person that has not been used. */
export type OpenLink = Pick<LinkRow, "kind" | "projectIds" | "personId"> & {
  digest: Buffer;
  madeById: string;
};

export async function listOpenLinks(db: Db, organizationId: string): Promise<OpenLink[]> {
  return db
    .selectFrom("personLinks")
    .select(["digest", "kind", "projectIds", "personId", "madeById"])
    .where("organizationId", "=", organizationId)
    .where("usedAt", "is", null)
    .where("madeById", "is not", null)
    .$narrowType<{ madeById: string }>()
    .execute();
}

/** Withdraws links that have not been used; answers how many. */
export async function deleteLinks(
  db: Db,
  organizationId: string,
  digests: readonly Buffer[],
): Promise<number> {
  if (digests.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom("personLinks")
    .where("organizationId", "=", organizationId)
    .where("usedAt", "is", null)
    .where("digest", "in", digests)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * Withdraws the open links that let a person in; answers how many.
 * @param projectIds only invitations to one of these projects; null for all, and for links to set their password
 */
export async function deleteLinksTo(
  db: Db,
  organizationId: string,
  { id, email }: { id: string; email: string },
  projectIds: readonly string[] | null,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("personLinks")
    .where("organizationId", "=", organizationId)
    .where("usedAt", "is", null)
    .where(
      projectIds === null
        ? sql<boolean>`(email = ${email} or person_id = ${id})`
        : sql<boolean>`email = ${email} and project_ids && ${projectIds}::uuid[]`,
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Forgets links that have not worked for a while. */
export async function forgetOldLinksAcrossProjects(db: Db, before: number): Promise<void> {
  await db.deleteFrom("personLinks").where("expiresAt", "<", before).execute();
}
