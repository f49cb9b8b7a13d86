import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TestHouse, type TestProject, testHouse } from "../../../test/harness.ts";
import {
  dashboardHeaders,
  giveRole,
  makePerson,
  PASSWORD,
  signIn,
  type TestPerson,
} from "../../../test/people.ts";
import { firstToken } from "../../../test/people-world.ts";
import type { PersonRole } from "../../platform/http/contract/person.ts";
import { setRoleInProject } from "./store.ts";

const house = testHouse();
const empty = testHouse();
const limited = testHouse({ rateLimits: {} });

/** Within this time a change of a role or a session is felt. */
const BELIEVED_MS = 5_000;
const DAY = 86_400_000;

type Answer = { status: number; body: Record<string, unknown> };

async function ask(
  at: TestHouse,
  method: string,
  path: string,
  { headers = { origin: at.url }, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(at.url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

/** A request of a person at a project, or `-`. */
const askAs = (person: TestPerson, scope: string, method: string, path: string, body?: object) =>
  ask(house, method, path, { headers: person.headers(scope), ...(body && { body }) });

const useLink = (at: TestHouse, body: object) => ask(at, "POST", "/api/people/links/use", { body });

const tokenIn = (link: unknown): string => new URL(String(link)).hash.slice(1);

/** Invites an address; answers the secret of the link. */
async function invite(
  by: TestPerson,
  scope: string,
  email: string,
  role: PersonRole,
  more = {},
): Promise<string> {
  const { status, body } = await askAs(by, scope, "POST", "/api/people/invitations", {
    email,
    role,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return tokenIn((body.invited as { link: string }).link);
}

const roleOf = async (person: { cookie: string }, project: TestProject): Promise<number> =>
  (
    await ask(house, "GET", "/api/v1/campaigns", {
      headers: dashboardHeaders(house, person.cookie, project.projectId),
    })
  ).status;

describe("the first person", () => {
  it("is one, however many come at once, and runs the server", async () => {
    const tokens = await Promise.all([firstToken(empty), firstToken(empty), firstToken(empty)]);
    const answers = await Promise.all(
      [...tokens, ...tokens].map((token, index) =>
        useLink(empty, { token, name: "Grace", email: `grace${index}@example.com`, password: PASSWORD }),
      ),
    );
    const [first, ...more] = answers.filter(({ status }) => status === 200);
    assert.ok(first);
    assert.deepEqual(more, []);
    for (const { status, body } of answers.filter((each) => each !== first)) {
      assert.equal(status, 404);
      assert.match(String(body.error), /^This link does not work any more/);
    }
    const cookie = await signIn(empty, String(first.body.email));
    const me = await ask(empty, "GET", "/api/people/me", { headers: dashboardHeaders(empty, cookie, "-") });
    assert.deepEqual([me.body.role, me.body.isOperator], ["owner", true]);
    for (const token of tokens)
      assert.equal((await ask(empty, "POST", "/api/people/links/read", { body: { token } })).status, 404);
  });
});

describe("an invitation", () => {
  it("lets one person in, once, with its role in its projects", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const [project, other] = [await house.project(), await house.project()];
    const email = "Ada.Lovelace@Example.com";
    const token = await invite(owner, "-", email, "editor", { projectIds: [project.projectId] });
    const read = await ask(house, "POST", "/api/people/links/read", { body: { token } });
    assert.deepEqual(
      [read.body.kind, read.body.email, read.body.role, read.body.projects, read.body.madeBy],
      ["invitation", "ada.lovelace@example.com", "editor", ["Test"], owner.name],
    );
    const joining = { token, name: "Ada", password: PASSWORD };
    const answers = await Promise.all([useLink(house, joining), useLink(house, joining)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
    const ada = { cookie: await signIn(house, email) };
    assert.equal(await roleOf(ada, project), 200);
    assert.equal(await roleOf(ada, other), 404);
  });

  it("says what is missing, and stays usable", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const token = await invite(owner, "-", "eve@example.com", "viewer");
    const bad: [object, string][] = [
      [{ token }, "name is required"],
      [{ token, name: "Eve" }, "password is required"],
      [{ token, name: "Eve", password: "short" }, "password must be at least 10 characters"],
      [{ token, name: "Eve", password: "x".repeat(129) }, "password must be at most 128 characters"],
      [{ token, name: " ", password: PASSWORD }, "name must not be blank, nor contain control characters"],
      [
        { token, name: "Eve", password: PASSWORD, email: "x@example.com" },
        "email must be left out: the link says it",
      ],
    ];
    for (const [body, error] of bad)
      assert.deepEqual(await useLink(house, body), { status: 400, body: { error } });
    assert.equal((await useLink(house, { token, name: "Eve", password: PASSWORD })).status, 200);
  });

  it("ends after seven days, when it is withdrawn, and when another one is made", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const joining = { name: "Bob", password: PASSWORD };
    const replaced = await invite(owner, "-", "bob@example.com", "viewer");
    const withdrawn = await invite(owner, "-", "bob@example.com", "viewer");
    assert.equal((await useLink(house, { token: replaced, ...joining })).status, 404);
    const path = `/api/people/invitations/${encodeURIComponent("bob@example.com")}`;
    assert.equal((await askAs(owner, "-", "DELETE", path)).status, 204);
    assert.equal((await askAs(owner, "-", "DELETE", path)).status, 404);
    assert.equal((await useLink(house, { token: withdrawn, ...joining })).status, 404);
    const late = await invite(owner, "-", "bob@example.com", "viewer");
    house.advance(7 * DAY);
    assert.equal((await useLink(house, { token: late, ...joining })).status, 404);
  });

  it("gives a person who is here the role at once, and takes none away", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const project = await house.project();
    const ada = await makePerson(house);
    const again = async (role: PersonRole) => {
      const body = { email: ada.email, role, projectIds: [project.projectId] };
      assert.deepEqual(await askAs(owner, "-", "POST", "/api/people/invitations", body), {
        status: 201,
        body: { invited: null },
      });
      house.advance(BELIEVED_MS);
      const me = await askAs(ada, "-", "GET", "/api/people/me");
      return (me.body.projects as { role: string }[]).map((each) => each.role);
    };
    assert.deepEqual(await again("editor"), ["editor"]);
    assert.deepEqual(await again("viewer"), ["editor"]);
    assert.deepEqual(await again("approver"), ["approver"]);
  });
});

describe("an owner of one project", () => {
  it("sees and invites people of this project, and reaches no further", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const [owner, member, stranger] = [
      await makePerson(house),
      await makePerson(house),
      await makePerson(house),
    ];
    await giveRole(house, project.projectId, owner, "owner");
    await giveRole(house, project.projectId, member, "viewer");
    await giveRole(house, other.projectId, member, "owner");
    await giveRole(house, other.projectId, stranger, "viewer");
    const token = await invite(owner, project.projectId, "new@example.com", "approver");
    const { body } = await askAs(owner, project.projectId, "GET", "/api/people/people");
    const people = body.people as { id: string; role: unknown; roles: { projectId: string }[] }[];
    const ids = people.map(({ id }) => id);
    assert.ok(ids.includes(owner.id) && ids.includes(member.id) && !ids.includes(stranger.id));
    for (const { roles } of people)
      for (const { projectId } of roles) assert.equal(projectId, project.projectId);
    assert.deepEqual(
      (body.invitations as { email: string }[]).map(({ email }) => email),
      ["new@example.com"],
    );
    assert.equal((await useLink(house, { token, name: "New", password: PASSWORD })).status, 200);
    for (const [method, path, sent] of [
      ["GET", "/api/people/people", undefined],
      ["POST", "/api/people/invitations", { email: "x@example.com", role: "viewer" }],
      ["DELETE", `/api/people/people/${member.id}`, undefined],
      ["POST", `/api/people/people/${member.id}/password-link`, undefined],
      ["PUT", `/api/people/people/${member.id}/role`, { role: "viewer" }],
    ] as const)
      assert.deepEqual(
        await askAs(owner, "-", method, path, sent),
        { status: 403, body: { error: "This takes the role owner, and yours is none." } },
        path,
      );
    const more = { email: "x@example.com", role: "viewer", projectIds: [other.projectId] };
    assert.equal(
      (await askAs(owner, project.projectId, "POST", "/api/people/invitations", more)).status,
      400,
    );
    const making = { role: "owner", isOperator: true };
    const path = `/api/people/people/${member.id}/role`;
    assert.equal((await askAs(owner, project.projectId, "PUT", path, making)).status, 400);
  });
});

describe("a role", () => {
  it("is felt within five seconds when it is lowered or taken away, whether it was in use or not", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const project = await house.project();
    const ada = await makePerson(house);
    const make = () => askAs(ada, project.projectId, "POST", "/api/v1/goals", { name: "Upgrades" });
    const setRole = (role: PersonRole | null) =>
      askAs(owner, project.projectId, "PUT", `/api/people/people/${ada.id}/role`, { role });
    assert.equal((await setRole("editor")).status, 204);
    assert.equal((await make()).status, 201);
    assert.equal((await setRole("viewer")).status, 204);
    house.advance(2_500);
    await make();
    house.advance(2_500);
    assert.deepEqual(await make(), {
      status: 403,
      body: { error: "This takes the role editor, and yours is viewer." },
    });
    assert.equal((await setRole(null)).status, 204);
    house.advance(BELIEVED_MS);
    assert.equal((await make()).status, 404);
  });

  it("in all projects counts beside the one in a project: the higher one", async () => {
    const project = await house.project();
    const ada = await makePerson(house, { role: "viewer" });
    const make = () => askAs(ada, project.projectId, "POST", "/api/v1/goals", { name: "Upgrades" });
    assert.equal((await make()).status, 403);
    await giveRole(house, project.projectId, ada, "editor");
    house.advance(BELIEVED_MS);
    assert.equal((await make()).status, 201);
    const bob = await makePerson(house, { role: "editor" });
    await giveRole(house, project.projectId, bob, "viewer");
    const made = await askAs(bob, project.projectId, "POST", "/api/v1/goals", { name: "Upgrades" });
    assert.equal(made.status, 201);
  });

  it("in all projects finds no project that is not there, and none of another organization", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const nowhere = "019b0000-0000-7000-8000-000000000000";
    const elsewhere = "019b0000-0000-7000-8000-000000000001";
    const { kysely } = house.database;
    const columns = { name: "Another", createdAt: house.now() };
    await kysely
      .insertInto("organizations")
      .values({ id: nowhere, ...columns })
      .execute();
    await kysely
      .insertInto("projects")
      .values({ id: elsewhere, organizationId: nowhere, ...columns })
      .execute();
    for (const scope of [nowhere, elsewhere])
      assert.deepEqual(await askAs(owner, scope, "GET", "/api/v1/campaigns"), {
        status: 404,
        body: { error: "Project not found" },
      });
  });

  it("of operator is changed by operators alone, and the last one stays", async () => {
    const operator = await makePerson(house, { role: "owner", isOperator: true });
    const owner = await makePerson(house, { role: "owner" });
    const path = (person: TestPerson) => `/api/people/people/${person.id}`;
    const refused = { status: 403, body: { error: "Only an operator may change an operator." } };
    assert.deepEqual(await askAs(owner, "-", "DELETE", path(operator)), refused);
    assert.deepEqual(await askAs(owner, "-", "PUT", `${path(operator)}/role`, { role: "viewer" }), refused);
    assert.deepEqual(await askAs(owner, "-", "POST", `${path(operator)}/password-link`), refused);
    const promoting = { role: "owner", isOperator: true };
    assert.deepEqual(await askAs(owner, "-", "PUT", `${path(owner)}/role`, promoting), refused);
    const only = {
      status: 409,
      body: { error: "This is the only operator: make another person one first." },
    };
    assert.deepEqual(await askAs(operator, "-", "DELETE", path(operator)), only);
    assert.deepEqual(await askAs(operator, "-", "PUT", `${path(operator)}/role`, { role: "viewer" }), only);
    const half = { role: "viewer", isOperator: true };
    assert.equal((await askAs(operator, "-", "PUT", `${path(owner)}/role`, half)).status, 400);
    assert.equal((await askAs(operator, "-", "PUT", `${path(owner)}/role`, promoting)).status, 204);
    house.advance(BELIEVED_MS);
    const leaving = [operator, owner].map((each) => askAs(each, "-", "DELETE", path(each)));
    const statuses = (await Promise.all(leaving)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [204, 409]);
  });
});

describe("a password", () => {
  it("is set by a link, which works once and signs the person out everywhere", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const ada = await makePerson(house, { role: "viewer" });
    const link = await askAs(owner, "-", "POST", `/api/people/people/${ada.id}/password-link`);
    const token = tokenIn(link.body.link);
    const password = "another horse battery";
    assert.equal((await useLink(house, { token, name: "Eve", password })).status, 400);
    assert.deepEqual(await useLink(house, { token, password }), {
      status: 200,
      body: { personId: ada.id, email: ada.email },
    });
    assert.equal((await useLink(house, { token, password })).status, 404);
    house.advance(BELIEVED_MS);
    assert.equal((await askAs(ada, "-", "GET", "/api/people/me")).status, 401);
    await assert.rejects(signIn(house, ada.email));
    await signIn(house, ada.email, password);
  });

  it("is changed by the person, who knows the present one", async () => {
    const ada = await makePerson(house);
    const change = (currentPassword: string, newPassword: string) =>
      ask(house, "POST", "/api/people/auth/change-password", {
        headers: ada.headers("-"),
        body: { currentPassword, newPassword, revokeOtherSessions: true },
      });
    assert.deepEqual(await change("wrong horse battery", "another horse"), {
      status: 400,
      body: { error: "Invalid password" },
    });
    assert.equal((await change(PASSWORD, "short")).status, 400);
    assert.equal((await change(PASSWORD, "another horse")).status, 200);
    await signIn(house, ada.email, "another horse");
    const { rows } = await house.database.pool.query(
      "select operation, by_name from audit_entries where by_id = $1 order by at, id",
      [ada.id],
    );
    const entries = ["signIn", "changePassword", "signIn"].map((operation) => ({
      operation,
      by_name: ada.name,
    }));
    assert.deepEqual(rows, entries);
  });

  it("may be wrong ten times a minute, and other accounts meanwhile", async () => {
    const [ada, bob] = [await makePerson(limited), await makePerson(limited)];
    const tryOne = (email: string, password: string) =>
      ask(limited, "POST", "/api/people/auth/sign-in/email", { body: { email, password } });
    const statuses = new Map<number, number>();
    for (let times = 0; times < 12; times++) {
      const { status } = await tryOne(times % 2 === 0 ? ada.email : ada.email.toUpperCase(), "wrong horse");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(statuses), { 401: 10, 429: 2 });
    assert.deepEqual(await tryOne(ada.email, PASSWORD), {
      status: 429,
      body: { error: "Too many tries to sign in. Wait a little, then try again." },
    });
    assert.equal((await tryOne(bob.email, PASSWORD)).status, 200);
    limited.advance(6_000);
    assert.equal((await tryOne(ada.email, PASSWORD)).status, 200);
  });
});

describe("a session", () => {
  it("ends when the person signs out, or ends it from elsewhere", async () => {
    const ada = await makePerson(house);
    const elsewhere = { headers: dashboardHeaders(house, await signIn(house, ada.email), "-") };
    const { body } = await ask(house, "GET", "/api/people/sessions", elsewhere);
    const sessions = body.sessions as { id: string; isThis: boolean }[];
    assert.deepEqual(sessions.map(({ isThis }) => isThis).sort(), [false, true]);
    const other = sessions.find(({ isThis }) => !isThis);
    assert.equal((await ask(house, "DELETE", `/api/people/sessions/${other?.id}`, elsewhere)).status, 204);
    house.advance(BELIEVED_MS);
    assert.equal((await askAs(ada, "-", "GET", "/api/people/me")).status, 401);
    assert.equal(
      (await ask(house, "POST", "/api/people/auth/sign-out", { ...elsewhere, body: {} })).status,
      200,
    );
    house.advance(BELIEVED_MS);
    assert.equal((await ask(house, "GET", "/api/people/me", elsewhere)).status, 401);
  });

  it("of another person cannot be ended", async () => {
    const [ada, eve] = [await makePerson(house), await makePerson(house)];
    const { body } = await askAs(ada, "-", "GET", "/api/people/sessions");
    const [session] = body.sessions as { id: string }[];
    assert.equal((await askAs(eve, "-", "DELETE", `/api/people/sessions/${session?.id}`)).status, 404);
  });

  it("begins only on a page of this server", async () => {
    const ada = await makePerson(house);
    const signingIn = (headers: Record<string, string>) =>
      ask(house, "POST", "/api/people/auth/sign-in/email", {
        headers,
        body: { email: ada.email, password: PASSWORD },
      });
    const foreign: Record<string, string>[] = [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: house.url, "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) assert.equal((await signingIn(headers)).status, 403);
    assert.equal((await signingIn({ origin: house.url })).status, 200);
  });

  it("cannot be begun by signing up", async () => {
    const body = { email: "mallory@example.com", password: PASSWORD, name: "Mallory" };
    assert.equal((await ask(house, "POST", "/api/people/auth/sign-up/email", { body })).status, 404);
  });

  it("of a person who was removed is worth nothing within five seconds, and their entries stay", async () => {
    const owner = await makePerson(house, { role: "owner" });
    const ada = await makePerson(house, { role: "editor" });
    const project = await house.project();
    assert.equal(
      (await askAs(ada, project.projectId, "POST", "/api/v1/goals", { name: "Upgrades" })).status,
      201,
    );
    assert.equal((await askAs(owner, "-", "DELETE", `/api/people/people/${ada.id}`)).status, 204);
    house.advance(BELIEVED_MS);
    assert.equal((await askAs(ada, "-", "GET", "/api/people/me")).status, 401);
    const { body } = await askAs(owner, project.projectId, "GET", "/api/people/audit");
    const [entry] = body.entries as { by: { name: string }; operation: string; fields: string[] }[];
    assert.deepEqual([entry?.by.name, entry?.operation, entry?.fields], [ada.name, "createGoal", ["name"]]);
  });
});

describe("requests with links", () => {
  it("are counted by address", async () => {
    const body = { token: "t".repeat(43) };
    const read = async () => (await ask(limited, "POST", "/api/people/links/read", { body })).status;
    const statuses = await Promise.all(Array.from({ length: 600 }, read));
    assert.ok(statuses.includes(404));
    assert.equal(await read(), 429);
    // The budget is back after a minute.
    limited.advance(60_000);
    assert.equal(await read(), 404);
  });
});

describe("people's requests", () => {
  it("are counted by person, and take nothing from the project's budgets", async () => {
    const some = await limited.project();
    const ada = await makePerson(limited, { role: "viewer" });
    const bob = await makePerson(limited, { role: "viewer" });
    const read = async (person: TestPerson) =>
      (await ask(limited, "GET", "/api/v1/campaigns", { headers: person.headers(some.projectId) })).status;
    const statuses = await Promise.all(Array.from({ length: 601 }, () => read(ada)));
    assert.equal(statuses.filter((status) => status === 429).length, 1);
    assert.equal(await read(bob), 200);
    await some.api.listCampaigns();
  });
});

describe("the audit log", () => {
  it("has an entry for each change, or there is no change", async () => {
    const project = await house.project();
    const ada = await makePerson(house, { role: "editor" });
    const make = (name: string) => askAs(ada, project.projectId, "POST", "/api/v1/goals", { name });
    await house.database.pool.query(`
      create function refuse_entries() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
      create trigger no_entries before insert on audit_entries for each row execute function refuse_entries()`);
    try {
      assert.equal((await make("Lost")).status, 500);
    } finally {
      await house.database.pool.query("drop function refuse_entries cascade");
    }
    assert.equal((await make("")).status, 400);
    assert.equal((await make("Kept")).status, 201);
    const { goals } = await project.api.listGoals();
    assert.deepEqual(
      goals.map(({ name }) => name),
      ["Kept"],
    );
    const { body } = await askAs(ada, project.projectId, "GET", "/api/people/audit");
    assert.equal((body.entries as unknown[]).length, 1);
  });

  it("is read page by page, by project and by person", async () => {
    const project = await house.project();
    const [ada, bob] = [
      await makePerson(house, { role: "editor" }),
      await makePerson(house, { role: "editor" }),
    ];
    for (const person of [ada, bob, ada])
      await askAs(person, project.projectId, "POST", "/api/v1/goals", { name: "Upgrades" });
    await askAs(ada, (await house.project()).projectId, "POST", "/api/v1/goals", { name: "Elsewhere" });
    const read = async (query: string) => {
      const { body } = await askAs(ada, project.projectId, "GET", `/api/people/audit?${query}`);
      return {
        names: (body.entries as { by: { name: string } }[]).map(({ by }) => by.name),
        next: body.next,
      };
    };
    assert.deepEqual(await read(""), { names: [ada.name, bob.name, ada.name], next: null });
    const first = await read("limit=2");
    assert.deepEqual(first.names, [ada.name, bob.name]);
    assert.deepEqual(await read(`limit=2&before=${first.next}`), { names: [ada.name], next: null });
    assert.deepEqual((await read(`personId=${bob.id}`)).names, [bob.name]);
  });

  it("can only be appended to", async () => {
    const { pool } = house.database;
    for (const statement of [
      "update audit_entries set by_name = 'Eve'",
      "delete from audit_entries",
      "truncate audit_entries",
    ])
      await assert.rejects(pool.query(statement), /appended, never changed/);
  });
});

it("makes campaigns and segments in the name of a person", async () => {
  const project = await house.project();
  const ada = await makePerson(house);
  await setRoleInProject(house.database.kysely, project.projectId, ada.id, "editor");
  const made = await askAs(ada, project.projectId, "POST", "/api/v1/campaigns", {
    name: "Spring",
    message: { presentation: "toast", title: "Hello" },
  });
  assert.equal((made.body.campaign as { createdBy: string }).createdBy, "human");
});
