import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { higherRole, type PersonRole } from "../../platform/http/contract/person.ts";

/** A person with their account, which the library of the sign-in keeps in the schema `people`, in its own spelling. */
export type MemberRow = {
  id: string;
  name: string;
  email: string;
  isOperator: boolean;
  role: PersonRole | null;
  roles: { projectId: string; role: PersonRole }[];
  createdAt: number;
  lastSeenAt: number | null;
  passkeys: number;
};

const member = sql`
  select m.person_id as id, u."name", u."email", m.is_operator as "isOperator", m.role, m.created_at as "createdAt",
    coalesce((
      select jsonb_agg(jsonb_build_object('projectId', r.project_id, 'role', r.role) order by r.project_id)
      from ${t.memberRoles} r where r.person_id = m.person_id
    ), '[]') as roles,
    (
      select (extract(epoch from max(s."updatedAt")) * 1000)::bigint from people."session" s where s."userId" = m.person_id
    ) as "lastSeenAt",
    (select count(*)::int from people."passkey" k where k."userId" = m.person_id) as passkeys
  from ${t.members} m join people."user" u on u."id" = m.person_id`;

/** The members of an organization. @param projectId only those who may do something in this project; null for all */
export async function listMembers(
  db: Db,
  organizationId: string,
  projectId: string | null,
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`${member}
    where m.organization_id = ${organizationId}
      and (${projectId}::uuid is null or m.role is not null or exists (
        select from ${t.memberRoles} r where r.person_id = m.person_id and r.project_id = ${projectId}::uuid
      ))
    order by m.created_at, m.person_id`.execute(db);
  return rows;
}

/** The addresses of those who own a project, or all projects. */
export async function listOwnerAddresses(db: Db, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select u."email" from ${t.members} m
    join people."user" u on u."id" = m.person_id
    join ${t.projects} p on p.organization_id = m.organization_id and p.id = ${projectId}
    where m.role = 'owner' or exists (
      select from ${t.memberRoles} r where r.person_id = m.person_id and r.project_id = p.id and r.role = 'owner'
    )
    order by m.created_at, m.person_id`.execute(db);
  return rows.map(({ email }) => email);
}

export async function findMember(
  db: Db,
  organizationId: string,
  by: { id: string } | { email: string },
): Promise<MemberRow | null> {
  const condition = "id" in by ? sql`m.person_id = ${by.id}` : sql`u."email" = ${by.email}`;
  const { rows } = await sql<MemberRow>`${member}
    where m.organization_id = ${organizationId} and ${condition}`.execute(db);
  return rows[0] ?? null;
}

/** Where a person stands: their roles in all projects and in one of them. `isThere`: whether the project is one of their organization. */
export type PersonStanding = {
  organizationId: string;
  isOperator: boolean;
  everywhere: PersonRole | null;
  here: PersonRole | null;
  isThere: boolean;
};

/** Null for a person who is no member any more. @param projectId null for the organization */
export async function findStanding(
  db: Db,
  personId: string,
  projectId: string | null,
): Promise<PersonStanding | null> {
  const { rows } = await sql<PersonStanding>`
    select m.organization_id as "organizationId", m.is_operator as "isOperator", m.role as everywhere, r.role as here,
      p.id is not null as "isThere"
    from ${t.members} m
      left join ${t.projects} p on p.id = ${projectId}::uuid and p.organization_id = m.organization_id and p.deleted_at is null
      left join ${t.memberRoles} r on r.person_id = m.person_id and r.project_id = p.id
    where m.person_id = ${personId}`.execute(db);
  return rows[0] ?? null;
}

/**
 * Whether a person is a member with this session, which has not ended. `isLocked`: no other transaction changes or removes either
 * until the end of this one. Changes of roles in single projects lock the member as well (`lockMember`).
 */
export async function isStillMember(
  db: Db,
  {
    personId,
    sessionId,
    now,
    isLocked,
  }: { personId: string; sessionId: string; now: number; isLocked: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    select from ${t.members} m join people."session" s on s."userId" = m.person_id
    where m.person_id = ${personId} and s."id" = ${sessionId} and s."expiresAt" > ${new Date(now)}
    ${isLocked ? sql`for share of m for key share of s` : sql``}`.execute(db);
  return rows.length > 0;
}

/** Locks a member whose roles change, so that what they do at the same time is over, or sees the change. */
async function lockMember(db: Db, personId: string): Promise<void> {
  await sql`select from ${t.members} where person_id = ${personId} for no key update`.execute(db);
}

export type ProjectOfPerson = {
  id: string;
  name: string;
  publishableKey: string | null;
  isDemo: boolean;
  role: PersonRole;
};

/** The projects in which a person may do something, oldest first. */
export async function listProjectsOfPerson(db: Db, personId: string): Promise<ProjectOfPerson[]> {
  const { rows } = await sql<ProjectOfPerson & { everywhere: PersonRole | null; here: PersonRole | null }>`
    select p.id, p.name, k.publishable_token as "publishableKey", m.role as everywhere, r.role as here,
      exists (select from ${t.demoShop} d where d.project_id = p.id) as "isDemo"
    from ${t.members} m
      join ${t.projects} p on p.organization_id = m.organization_id and p.deleted_at is null
      left join ${t.memberRoles} r on r.person_id = m.person_id and r.project_id = p.id
      left join lateral (
        select publishable_token from ${t.apiKeys}
        where project_id = p.id and kind = 'publishable' and expires_at is null
        order by created_at desc, digest limit 1
      ) k on true
    where m.person_id = ${personId} and (m.role is not null or r.role is not null)
    order by p.created_at, p.id`.execute(db);
  return rows.flatMap(({ everywhere, here, ...project }) => {
    const role = higherRole(everywhere, here);
    return role === null ? [] : [{ ...project, role }];
  });
}

export type NewPerson = { id: string; name: string; email: string; passwordHash: string; now: number };

/** Makes an account that signs in with a password; false where the address has one. */
export async function insertAccount(
  db: Db,
  { id, name, email, passwordHash, now }: NewPerson,
): Promise<boolean> {
  const at = new Date(now);
  const { rows } = await sql`
    insert into people."user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
    values (${id}, ${name}, ${email}, true, ${at}, ${at}) on conflict ("email") do nothing returning "id"`.execute(
    db,
  );
  if (rows.length === 0) return false;
  await sql`
    insert into people."account" ("accountId", "providerId", "userId", "password", "createdAt", "updatedAt")
    values (${id}, 'credential', ${id}, ${passwordHash}, ${at}, ${at})`.execute(db);
  return true;
}

/** Replaces a person's password, signs them out everywhere, and deletes their passkeys: who had one of these is out. */
export async function replacePassword(
  db: Db,
  personId: string,
  passwordHash: string,
  now: number,
): Promise<void> {
  await sql`
    update people."account" set "password" = ${passwordHash}, "updatedAt" = ${new Date(now)}
    where "userId" = ${personId} and "providerId" = 'credential'`.execute(db);
  await sql`delete from people."session" where "userId" = ${personId}`.execute(db);
  await deletePasskeys(db, personId);
}

/** Deletes the passkeys of a person; answers how many. */
export async function deletePasskeys(db: Db, personId: string): Promise<number> {
  const { rows } =
    await sql`delete from people."passkey" where "userId" = ${personId} returning "id"`.execute(db);
  return rows.length;
}

/** Deletes a person's account with all that is theirs: passwords, passkeys, sessions, roles. */
export async function deleteAccount(db: Db, personId: string): Promise<void> {
  await sql`delete from people."user" where "id" = ${personId}`.execute(db);
}

export async function insertMember(
  db: Db,
  row: {
    personId: string;
    organizationId: string;
    role: PersonRole | null;
    isOperator: boolean;
    createdAt: number;
  },
): Promise<void> {
  await db.insertInto("members").values(row).execute();
}

/** Locks the members of an organization against changes by others, until the end of the transaction. */
export async function lockMembers(db: Db, organizationId: string): Promise<void> {
  await sql`select from ${t.organizations} where id = ${organizationId} for no key update`.execute(db);
}

export async function hasMembersAcrossProjects(db: Db): Promise<boolean> {
  return (await db.selectFrom("members").select("personId").limit(1).executeTakeFirst()) !== undefined;
}

/** Whether an organization has an operator beside this person. */
export async function hasOtherOperator(db: Db, organizationId: string, personId: string): Promise<boolean> {
  const other = await db
    .selectFrom("members")
    .select("personId")
    .where("organizationId", "=", organizationId)
    .where("isOperator", "=", true)
    .where("personId", "<>", personId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Sets what a member may do in all projects, and whether they run the server. */
export async function setRoleEverywhere(
  db: Db,
  organizationId: string,
  personId: string,
  { role, isOperator }: { role: PersonRole | null; isOperator: boolean },
): Promise<void> {
  await db
    .updateTable("members")
    .set({ role, isOperator })
    .where("organizationId", "=", organizationId)
    .where("personId", "=", personId)
    .execute();
}

/** Sets what a member may do in one project; null takes the role away. Needs a transaction. */
export async function setRoleInProject(
  db: Db,
  projectId: string,
  personId: string,
  role: PersonRole | null,
): Promise<void> {
  await lockMember(db, personId);
  if (role === null)
    await db
      .deleteFrom("memberRoles")
      .where("projectId", "=", projectId)
      .where("personId", "=", personId)
      .execute();
  else
    await db
      .insertInto("memberRoles")
      .values({ projectId, personId, role })
      .onConflict((conflict) => conflict.columns(["projectId", "personId"]).doUpdateSet({ role }))
      .execute();
}

/** Those of the projects that belong to an organization, with their names. */
export async function findProjects(
  db: Db,
  organizationId: string,
  projectIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (projectIds.length === 0) return [];
  return db
    .selectFrom("projects")
    .select(["id", "name"])
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .where("id", "in", projectIds)
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
}
