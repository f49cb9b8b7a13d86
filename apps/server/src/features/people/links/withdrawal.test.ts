import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../../test/harness.ts";
import { giveRole, makePerson, PASSWORD, signIn, type TestPerson } from "../../../../test/people.ts";

const house = testHouse();
const limited = testHouse({ rateLimits: {} });

type Answer = { status: number; body: Record<string, unknown> };

async function ask(
  by: TestPerson | null,
  scope: string,
  method: string,
  path: string,
  sent?: object,
  at = house,
): Promise<Answer> {
  const response = await fetch(at.url + path, {
    method,
    headers: {
      ...(by?.headers(scope) ?? { origin: at.url }),
      ...(sent && { "content-type": "application/json" }),
    },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

const pathOf = ({ id }: TestPerson): string => `/api/people/people/${id}`;
const tokenIn = (link: unknown): string => new URL(String(link)).hash.slice(1);
let invited = 0;

async function invite(by: TestPerson, scope: string, email = `guest-${++invited}@example.com`) {
  const { status, body } = await ask(by, scope, "POST", "/api/people/invitations", { email, role: "owner" });
  assert.equal(status, 201);
  return tokenIn((body.invited as { link: string }).link);
}

async function passwordLink(by: TestPerson, person: TestPerson): Promise<string> {
  const { status, body } = await ask(by, "-", "POST", `${pathOf(person)}/password-link`);
  assert.equal(status, 201, JSON.stringify(body));
  return tokenIn(body.link);
}

const works = async (token: string): Promise<boolean> =>
  (await ask(null, "-", "POST", "/api/people/links/read", { token })).status === 200;

const setRole = async (by: TestPerson, person: TestPerson, scope: string, body: object): Promise<void> =>
  assert.equal((await ask(by, scope, "PUT", `${pathOf(person)}/role`, body)).status, 204);

const newOperator = () => makePerson(house, { role: "owner", isOperator: true });

async function addPasskey({ id }: TestPerson): Promise<void> {
  await house.database.pool.query(
    `insert into people."passkey" ("publicKey", "userId", "credentialID", "counter", "deviceType", "backedUp")
      values ('key', $1, 'credential', 0, 'singleDevice', false)`,
    [id],
  );
}

async function passkeysOf({ id }: TestPerson, by: TestPerson): Promise<unknown> {
  const { body } = await ask(by, "-", "GET", "/api/people/people");
  return (body.people as { id: string; passkeys: number }[]).find((each) => each.id === id)?.passkeys;
}

describe("an open link", () => {
  it("ends when its maker is removed, and those of others go on", async () => {
    const operator = await newOperator();
    const [owner, member] = [await makePerson(house, { role: "owner" }), await makePerson(house)];
    const other = await invite(operator, "-");
    const links = [await invite(owner, "-"), await passwordLink(owner, member)];
    assert.equal((await ask(operator, "-", "DELETE", pathOf(owner))).status, 204);
    for (const token of links) {
      assert.equal(await works(token), false);
      const used = { token, name: "Eve", password: PASSWORD };
      assert.equal((await ask(null, "-", "POST", "/api/people/links/use", used)).status, 404);
    }
    assert.equal(await works(other), true);
  });

  it("ends when its maker could no longer make it, in all projects or in one", async () => {
    const operator = await newOperator();
    const [project, second] = [await house.project(), await house.project()];
    const [owner, here, member] = [
      await makePerson(house, { role: "owner" }),
      await makePerson(house),
      await makePerson(house),
    ];
    await giveRole(house, project.projectId, here, "owner");
    await giveRole(house, second.projectId, here, "owner");
    await giveRole(house, project.projectId, owner, "owner");
    const everywhere = [await invite(owner, "-"), await passwordLink(owner, member)];
    const inProject = await invite(owner, project.projectId);
    await setRole(operator, owner, "-", { role: "approver" });
    assert.deepEqual(await Promise.all(everywhere.map(works)), [false, false]);
    assert.equal(await works(inProject), true, "an owner of the project they are still");
    const [ended, kept] = [await invite(here, project.projectId), await invite(here, second.projectId)];
    await setRole(operator, here, project.projectId, { role: "approver" });
    assert.deepEqual([await works(ended), await works(kept)], [false, true]);
  });

  it("to set a password ends when its person becomes an owner, or its maker runs the server no more", async () => {
    const operator = await newOperator();
    const leaving = await newOperator();
    const [owner, member] = [await makePerson(house, { role: "owner" }), await makePerson(house)];
    const before = await passwordLink(owner, member);
    await setRole(operator, member, "-", { role: "owner" });
    assert.equal(await works(before), false);
    const byOperator = await passwordLink(leaving, owner);
    await setRole(operator, leaving, "-", { role: "owner", isOperator: false });
    assert.equal(await works(byOperator), false);
  });

  it("that would let a person back in ends when they are removed or lowered", async () => {
    const operator = await newOperator();
    for (const act of ["remove", "lower"]) {
      const person = await makePerson(house, { role: "owner" });
      // An invitation from before they came by another one.
      const email = `${act}-${person.id}@example.com`;
      const token = await invite(operator, "-", email);
      await house.database.pool.query(`update people."user" set "email" = $2 where "id" = $1`, [
        person.id,
        email,
      ]);
      const password = await passwordLink(operator, person);
      if (act === "remove") assert.equal((await ask(operator, "-", "DELETE", pathOf(person))).status, 204);
      else await setRole(operator, person, "-", { role: "viewer" });
      assert.deepEqual([await works(token), await works(password)], [false, false], act);
    }
  });

  it("to set the password of an owner of all projects takes an operator; an owner makes one for the others", async () => {
    const operator = await newOperator();
    const project = await house.project();
    const [owner, other] = [
      await makePerson(house, { role: "owner" }),
      await makePerson(house, { role: "owner" }),
    ];
    for (const whom of [other, owner])
      assert.deepEqual(await ask(owner, "-", "POST", `${pathOf(whom)}/password-link`), {
        status: 403,
        body: { error: "Only an operator may make a password link for an owner of all projects." },
      });
    await passwordLink(operator, other);
    const here = await makePerson(house);
    await giveRole(house, project.projectId, here, "owner");
    await passwordLink(owner, here);
  });

  it("leaves the name of its maker when it is used", async () => {
    const operator = await newOperator();
    const member = await makePerson(house);
    const token = await passwordLink(operator, member);
    const used = await ask(null, "-", "POST", "/api/people/links/use", {
      token,
      password: "another horse battery",
    });
    assert.equal(used.status, 200);
    const { body } = await ask(operator, "-", "GET", `/api/people/audit?personId=${member.id}`);
    const [entry] = body.entries as { operation: string; before: unknown }[];
    assert.deepEqual(
      [entry?.operation, entry?.before],
      ["useLink", { madeBy: operator.name, madeById: operator.id }],
    );
  });
});

describe("passkeys", () => {
  it("end with a password that is set by a link", async () => {
    const operator = await newOperator();
    const member = await makePerson(house);
    await addPasskey(member);
    assert.equal(await passkeysOf(member, operator), 1);
    const token = await passwordLink(operator, member);
    await ask(null, "-", "POST", "/api/people/links/use", { token, password: "another horse battery" });
    assert.equal(await passkeysOf(member, operator), 0);
  });

  it("and all other sessions end with a password that a person changes, unless they keep the passkeys", async () => {
    const operator = await newOperator();
    for (const [more, left] of [
      [{}, 0],
      [{ revokeOtherSessions: false }, 0],
      [{ keepPasskeys: true }, 1],
    ] as const) {
      const member = await makePerson(house);
      await signIn(house, member.email);
      await addPasskey(member);
      const change = { currentPassword: PASSWORD, newPassword: "another horse battery", ...more };
      assert.equal((await ask(member, "-", "POST", "/api/people/auth/change-password", change)).status, 200);
      assert.equal(await passkeysOf(member, operator), left);
      const { rowCount } = await house.database.pool.query(
        `select from people."session" where "userId" = $1`,
        [member.id],
      );
      assert.equal(rowCount, 1, "the one that the change began");
    }
  });

  it("of a person are removed by an owner, those of an operator by operators", async () => {
    const [operator, owner] = [await newOperator(), await makePerson(house, { role: "owner" })];
    const member = await makePerson(house);
    await addPasskey(member);
    assert.equal((await ask(owner, "-", "DELETE", `${pathOf(member)}/passkeys`)).status, 204);
    assert.equal(await passkeysOf(member, operator), 0);
    assert.equal((await ask(owner, "-", "DELETE", `${pathOf(operator)}/passkeys`)).status, 403);
  });
});

it("counts wrong present passwords as tries to sign in to the account", async () => {
  const member = await makePerson(limited);
  const change = (currentPassword: string) =>
    ask(
      member,
      "-",
      "POST",
      "/api/people/auth/change-password",
      { currentPassword, newPassword: "another horse battery" },
      limited,
    );
  const statuses: number[] = [];
  for (let times = 0; times < 12; times++) statuses.push((await change("wrong horse battery")).status);
  assert.ok(statuses.filter((status) => status === 400).length <= 10);
  assert.equal(statuses.at(-1), 429);
  assert.equal((await change(PASSWORD)).status, 429);
});

it("shows addresses of people in the audit log to owners alone", async () => {
  const project = await house.project();
  const owner = await makePerson(house, { role: "owner" });
  const viewer = await makePerson(house, { role: "viewer" });
  const gone = await makePerson(house);
  const email = "secret-guest@example.com";
  await invite(owner, project.projectId, email);
  await setRole(owner, gone, project.projectId, { role: "viewer" });
  const withdrawing = `/api/people/invitations/${encodeURIComponent(email)}`;
  await ask(owner, project.projectId, "DELETE", withdrawing);
  await passwordLink(owner, gone);
  await ask(owner, "-", "DELETE", pathOf(gone));
  const read = async (by: TestPerson) => {
    const scopes = [project.projectId, "-"].map((scope) => ask(by, scope, "GET", "/api/people/audit"));
    return JSON.stringify((await Promise.all(scopes)).map(({ body }) => body));
  };
  for (const address of [email, gone.email]) {
    assert.ok((await read(owner)).includes(address));
    assert.ok(!(await read(viewer)).includes(address));
  }
});
