import { z } from "zod";
import type { Db } from "../../../platform/db/db.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { higherRole } from "../../../platform/http/contract/person.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { insertEntry } from "../../audit/public.ts";
import { giveRoles } from "../roles.ts";
import { linkToken, newPassword, personEmail, personName } from "../schema.ts";
import { passwordHash } from "../sign-in/identity.ts";
import {
  findMember,
  hasMembersAcrossProjects,
  insertAccount,
  insertMember,
  lockMembers,
  type MemberRow,
  replacePassword,
} from "../store.ts";
import { findLinkAcrossProjects, type LinkRow, useUpLink } from "./link-store.ts";
import { digestOf } from "./links.ts";
import { LINK_GONE } from "./read-link.ts";

type Given = { name?: string | undefined; email?: string | undefined; password?: string | undefined };
type Account = { id: string; email: string; name: string };

/** @throws ApiError naming a field that this kind of link needs */
function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new ApiError("invalid_request", `${name} is required`);
  return value;
}

/** @throws ApiError naming a field that this kind of link does not take */
function refused(value: string | undefined, name: string): void {
  if (value !== undefined)
    throw new ApiError("invalid_request", `${name} must be left out: the link says it`);
}

/** Makes the account of a new person. @throws ApiError conflict where the address has one */
async function makeAccount(db: Db, email: string, given: Given, now: number): Promise<Account> {
  const name = required(given.name, "name");
  const hashed = await passwordHash(required(given.password, "password"));
  const id = newUuid(now);
  if (!(await insertAccount(db, { id, name, email, passwordHash: hashed, now })))
    throw new ApiError("conflict", "This address has an account already: sign in with it.");
  return { id, email, name };
}

async function beginWith(db: Db, { organizationId }: LinkRow, given: Given, now: number): Promise<Account> {
  const email = required(given.email, "email");
  if (await hasMembersAcrossProjects(db)) throw new ApiError("not_found", LINK_GONE);
  const account = await makeAccount(db, email, given, now);
  const { id: personId } = account;
  await insertMember(db, { personId, organizationId, role: "owner", isOperator: true, createdAt: now });
  return account;
}

/** Lets an invited person in. Where they are here already, they get the role beside those that they have. */
async function join(db: Db, link: LinkRow, email: string, given: Given, now: number): Promise<Account> {
  refused(given.email, "email");
  const { organizationId, role, projectIds } = link;
  let member: Account | MemberRow | null = await findMember(db, organizationId, { email });
  if (member === null) {
    member = await makeAccount(db, email, given, now);
    const row = { personId: member.id, organizationId, role: null, isOperator: false, createdAt: now };
    await insertMember(db, row);
  }
  if (role !== null)
    await giveRoles(db, organizationId, member.id, {
      projectIds,
      change: (before) => higherRole(before, role),
    });
  return member;
}

async function setPassword(
  db: Db,
  link: LinkRow,
  personId: string,
  given: Given,
  now: number,
): Promise<Account> {
  refused(given.email, "email");
  refused(given.name, "name");
  const member = await findMember(db, link.organizationId, { id: personId });
  if (member === null) throw new ApiError("not_found", LINK_GONE);
  await replacePassword(db, personId, await passwordHash(required(given.password, "password")), now);
  return member;
}

function act(db: Db, link: LinkRow, given: Given, now: number): Promise<Account> {
  if (link.personId !== null) return setPassword(db, link, link.personId, given, now);
  return link.email !== null ? join(db, link, link.email, given, now) : beginWith(db, link, given, now);
}

export const useLink = endpoint(
  {
    id: "useLink",
    method: "POST",
    path: "/api/people/links/use",
    audit: "came in by a link",
    tag: "People",
    summary: "Come in by a link",
    description:
      "Makes the account of a new person, or sets the password of one who is here, who is signed out everywhere by that and has no passkeys any more. A link works once. Then sign in.",
    keys: [],
    people: "open",
    scope: "organization",
    errors: ["not_found", "conflict"],
    body: z.object({
      token: linkToken,
      email: personEmail.optional().describe("The address to sign in with; only where the link says none."),
      name: personName.optional().describe("What the person calls themselves; for a new account."),
      password: newPassword.optional(),
    }),
    example: {
      token: "Vt2mJ0Jq4T8kQ1vUcXw7bD5eF6gH3iL9mN0pR2sT4vZ",
      name: "Ada",
      password: "correct horse battery",
    },
    result: z.object({
      personId: text(36).describe("Id of the person."),
      email: text(320).describe("The address to sign in with."),
    }),
  },
  async ({ db, now }, { body: { token, ...given } }) => {
    const digest = digestOf(token);
    const link = await findLinkAcrossProjects(db, digest, now);
    if (link === null) throw new ApiError("not_found", LINK_GONE);
    const { organizationId, kind, madeBy, madeById } = link;
    await lockMembers(db, organizationId);
    if (!(await useUpLink(db, digest, now))) throw new ApiError("not_found", LINK_GONE);
    const { id, email, name } = await act(db, link, given, now);
    await insertEntry(db, {
      organizationId,
      projectId: null,
      at: now,
      by: { kind: "human", id, name },
      operation: "useLink",
      target: id,
      detail: { before: { madeBy, madeById }, after: { kind } },
      requestId: null,
    });
    return { personId: id, email };
  },
);
