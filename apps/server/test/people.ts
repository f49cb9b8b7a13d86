import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { createPeopleClient, type PeopleClient } from "@tidings/client";
import { theOrganization } from "../src/features/access/public.ts";
import { passwordHash } from "../src/features/people/sign-in/identity.ts";
import { insertAccount, insertMember, setRoleInProject } from "../src/features/people/store.ts";
import { SCOPE_HEADER } from "../src/platform/http/admission/admit-person.ts";
import type { PersonRole } from "../src/platform/http/contract/person.ts";
import { newUuid } from "../src/platform/uuid.ts";
import type { SharedHouse } from "./harness.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";

export const PASSWORD = "correct horse battery";
let hashing: Promise<string> | undefined;
let made = 0;

/** A person of a house who is signed in. */
export type TestPerson = {
  id: string;
  name: string;
  email: string;
  cookie: string;
  /** The headers of a request of the dashboard. @param scope id of a project, or `-` */
  headers(scope: string): Record<string, string>;
};

/** Signs in as the page does; answers the cookie. */
export async function signIn(house: SharedHouse, email: string, password = PASSWORD): Promise<string> {
  const response = await fetch(`${house.url}/api/people/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: house.url },
    body: JSON.stringify({ email, password }),
  });
  assert.equal(response.status, 200, await response.text());
  const [cookie = ""] = response.headers.getSetCookie();
  const [pair = ""] = cookie.split(";");
  keepSecrets(password, pair.slice(pair.indexOf("=") + 1));
  return pair;
}

/** The headers with which the dashboard asks. */
export const dashboardHeaders = (
  house: SharedHouse,
  cookie: string,
  scope: string,
): Record<string, string> => ({
  cookie,
  origin: house.url,
  "sec-fetch-site": "same-origin",
  [SCOPE_HEADER]: scope,
});

/** Makes a person with a role in all projects, or none, and signs them in. */
export async function makePerson(
  house: SharedHouse,
  { role = null, isOperator = false }: { role?: PersonRole | null; isOperator?: boolean } = {},
): Promise<TestPerson> {
  hashing ??= passwordHash(PASSWORD);
  const password = await hashing;
  const now = house.now();
  const id = newUuid(now);
  const name = `Person ${++made}`;
  const email = `person-${hash("sha256", id).slice(0, 12)}@example.com`;
  await house.database.kysely.transaction().execute(async (tx) => {
    const organizationId = await theOrganization(tx, now);
    await insertAccount(tx, { id, name, email, passwordHash: password, now });
    await insertMember(tx, { personId: id, organizationId, role, isOperator, createdAt: now });
  });
  const cookie = await signIn(house, email);
  return { id, name, email, cookie, headers: (scope) => dashboardHeaders(house, cookie, scope) };
}

/** Gives a person a role in a project; null takes it away. */
export const giveRole = (
  house: SharedHouse,
  projectId: string,
  { id }: TestPerson,
  role: PersonRole | null,
): Promise<void> => setRoleInProject(house.database.kysely, projectId, id, role);

/** Makes a person's sign-in older, by the clock of the house. */
export async function signedInAgo(house: SharedHouse, { id }: TestPerson, ms: number): Promise<void> {
  await house.database.pool.query(`update people."session" set "createdAt" = $2 where "userId" = $1`, [
    id,
    new Date(house.now() - ms),
  ]);
}

/** The operations as a person has them in the dashboard, with a role in a project. */
export async function clientOf(
  house: SharedHouse,
  projectId: string,
  role: PersonRole,
): Promise<{ client: PeopleClient; person: TestPerson }> {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, role);
  return { client: createPeopleClient(house.url, person.headers(projectId)), person };
}
