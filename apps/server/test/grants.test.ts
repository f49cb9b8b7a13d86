import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpoints, peopleEndpoints } from "../src/features.ts";
import { isCheckedNow } from "../src/platform/http/admission/standing.ts";
import { PERSON_ROLES, type PersonRole } from "../src/platform/http/contract/person.ts";
import type { Spec } from "./derived-samples.ts";
import { type TestProject, testHouse } from "./harness.ts";
import { dashboardHeaders, giveRole, makePerson, signIn, type TestPerson } from "./people.ts";
import { sampleOfNothing } from "./people-samples.ts";
import { assertRefused, send } from "./samples.ts";
import { collide, untilWaiting } from "./waiting.ts";

/**
 * The clock of the house stands still, so what it remembers of a person is believed for ever: whatever is refused here was asked of the
 * database. The rights are taken away at another server, whose memory is its own.
 */
const house = testHouse({ mode: "managed" });

const checkedNow = [...endpoints, ...peopleEndpoints].filter(
  (endpoint) =>
    isCheckedNow(endpoint) && endpoint.spec.people !== undefined && endpoint.spec.people !== "open",
);

const sendAs = (person: TestPerson, scope: string, spec: Spec) => {
  const given = sampleOfNothing(spec);
  return send(house, spec, { ...given, headers: { ...given.headers, ...person.headers(scope) } });
};

/** The places that an operation may be about. */
const scopesOf = ({ scope = "project" }: Spec, { projectId }: TestProject): string[] =>
  scope === "either" ? [projectId, "-"] : [scope === "project" ? projectId : "-"];

/** Reads what every member may: in the project, and in all. Fills the memory of the house. */
async function looks(person: TestPerson, project: TestProject): Promise<number[]> {
  const look = async (scope: string, path: string) =>
    (await fetch(house.url + path, { headers: person.headers(scope) })).status;
  return [await look(project.projectId, "/api/v1/campaigns"), await look("-", "/api/people/me")];
}

/** A request of a person at the other server. */
async function elsewhere(
  project: TestProject,
  { cookie }: { cookie: string },
  [method, path, scope = "-", body]: readonly [string, string, string?, object?],
): Promise<Response> {
  const { url } = await house.elsewhere(project);
  return fetch(url + path, {
    method,
    headers: {
      ...dashboardHeaders(house, cookie, scope),
      origin: url,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** The entries of a person in the audit log, but for their sign-ins. */
async function entriesOf({ id }: TestPerson): Promise<string[]> {
  const { rows } = await house.database.pool.query<{ operation: string }>(
    "select operation from audit_entries where by_id = $1 and operation <> 'signIn'",
    [id],
  );
  return rows.map(({ operation }) => operation);
}

const password = "another horse battery";

type WayOut = (person: TestPerson, by: TestPerson, project: TestProject) => Promise<void>;
/** Ways to be out at once. The operator acts at the other server. */
const out: Readonly<Record<string, WayOut>> = {
  async "was removed"(person, by, project) {
    const { status } = await elsewhere(project, by, ["DELETE", `/api/people/people/${person.id}`]);
    assert.equal(status, 204);
  },
  async "has a new password by a link"(person, by, project) {
    const path = `/api/people/people/${person.id}/password-link`;
    const made = await elsewhere(project, by, ["POST", path]);
    const { link } = (await made.json()) as { link: string };
    const token = new URL(link).hash.slice(1);
    const used = await elsewhere(project, by, ["POST", "/api/people/links/use", "-", { token, password }]);
    assert.equal(used.status, 200);
  },
  async "was signed out from elsewhere"(person, _by, project) {
    const other = { cookie: await signIn(house, person.email) };
    const listed = await elsewhere(project, other, ["GET", "/api/people/sessions"]);
    const { sessions } = (await listed.json()) as { sessions: { id: string; isThis: boolean }[] };
    for (const { id } of sessions.filter(({ isThis }) => !isThis))
      assert.equal((await elsewhere(project, other, ["DELETE", `/api/people/sessions/${id}`])).status, 204);
  },
};

describe("what a person does within the five seconds in which the house believes that they may", () => {
  for (const [how, put] of Object.entries(out))
    it(`is refused to one who ${how}, by every operation that changes something`, async () => {
      const project = await house.project();
      const by = await makePerson(house, { role: "owner", isOperator: true });
      const person = await makePerson(house, { role: "owner", isOperator: true });
      assert.deepEqual(await looks(person, project), [200, 200]);
      await put(person, by, project);
      const before = await entriesOf(person);
      for (const { spec } of checkedNow)
        for (const scope of scopesOf(spec, project))
          assertRefused(await sendAs(person, scope, spec), 401, "Unauthorized");
      assert.deepEqual(await looks(person, project), [200, 200], "the house has believed it all the time");
      assert.deepEqual(await entriesOf(person), before);
    });

  /** The operations that a role, or an operator, is needed for. */
  const needing = (allowed: PersonRole | "operator") =>
    checkedNow.filter(({ spec }) => spec.people === allowed).map(({ spec }) => spec);
  const below = (role: PersonRole): PersonRole | null => PERSON_ROLES[PERSON_ROLES.indexOf(role) - 1] ?? null;
  const refusalOf = (needed: PersonRole, role: PersonRole | null): [number, string] =>
    role === null
      ? [404, "Project not found"]
      : [403, `This takes the role ${needed}, and yours is ${role}.`];

  for (const role of PERSON_ROLES)
    it(`is refused to one who was ${role}, and is not any more`, async () => {
      const project = await house.project();
      const by = await makePerson(house, { role: "owner", isOperator: true });
      const here = await makePerson(house);
      const everywhere = await makePerson(house, { role });
      await giveRole(house, project.projectId, here, role);
      const lower = below(role);
      for (const [person, scope] of [
        [here, project.projectId],
        [everywhere, "-"],
      ] as const) {
        assert.deepEqual(await looks(person, project), [200, 200]);
        const path = `/api/people/people/${person.id}/role`;
        assert.equal((await elsewhere(project, by, ["PUT", path, scope, { role: lower }])).status, 204);
        for (const spec of needing(role))
          for (const about of scopesOf(spec, project)) {
            // One with a role in the project alone may not ask about all of them, now or before.
            if (about === "-" && scope !== "-") continue;
            const [status, error] =
              about === "-"
                ? [403, `This takes the role ${role}, and yours is ${lower ?? "none"}.`]
                : refusalOf(role, lower);
            assertRefused(await sendAs(person, about, spec), Number(status), String(error));
          }
        assert.deepEqual(await looks(person, project), [200, 200]);
        assert.deepEqual(await entriesOf(person), []);
      }
    });

  it("is refused to one who ran the server, and does not any more", async () => {
    const project = await house.project();
    const by = await makePerson(house, { role: "owner", isOperator: true });
    const person = await makePerson(house, { role: "owner", isOperator: true });
    assert.deepEqual(await looks(person, project), [200, 200]);
    const path = `/api/people/people/${person.id}/role`;
    const body = { role: "owner", isOperator: false };
    assert.equal((await elsewhere(project, by, ["PUT", path, "-", body])).status, 204);
    for (const spec of needing("operator"))
      assertRefused(await sendAs(person, "-", spec), 403, "This takes an operator, who runs the server.");
    // What operators alone do with operations of owners: the handler gets what they are now.
    const { status } = await send(house, setPersonRole(), {
      path: { personId: person.id },
      body: { role: "owner", isOperator: true },
      headers: person.headers("-"),
    });
    assert.equal(status, 403);
    assert.deepEqual(await entriesOf(person), []);
  });

  const setPersonRole = (): Spec => {
    const found = peopleEndpoints.find(({ spec }) => spec.id === "setPersonRole");
    assert.ok(found);
    return found.spec;
  };

  it("is refused also where an answer is kept for its Idempotency-Key", async () => {
    const project = await house.project();
    const by = await makePerson(house, { role: "owner", isOperator: true });
    const person = await makePerson(house);
    await giveRole(house, project.projectId, person, "owner");
    const make = () =>
      fetch(`${house.url}/api/people/keys`, {
        method: "POST",
        headers: {
          ...person.headers(project.projectId),
          "content-type": "application/json",
          "idempotency-key": "once",
        },
        body: JSON.stringify({ kind: "secret" }),
      });
    assert.equal((await make()).status, 201);
    assert.equal((await make()).status, 201);
    await out["was removed"]?.(person, by, project);
    assert.equal((await make()).status, 401);
  });
});

describe("a change and a removal at the same time", () => {
  const remove = (by: TestPerson, { id }: TestPerson) =>
    fetch(`${house.url}/api/people/people/${id}`, { method: "DELETE", headers: by.headers("-") });
  const invite = (by: TestPerson, scope: string, email: string) =>
    fetch(`${house.url}/api/people/invitations`, {
      method: "POST",
      headers: { ...by.headers(scope), "content-type": "application/json" },
      body: JSON.stringify({ email, role: "owner" }),
    });
  const makeKey = (by: TestPerson, { projectId }: TestProject) =>
    fetch(`${house.url}/api/people/keys`, {
      method: "POST",
      headers: { ...by.headers(projectId), "content-type": "application/json" },
      body: JSON.stringify({ kind: "secret" }),
    });
  const statusesOf = (results: PromiseSettledResult<Response>[]) =>
    results.map((each) => (each.status === "fulfilled" ? each.value.status : each.reason));
  const scene = async () => {
    const project = await house.project();
    const by = await makePerson(house, { role: "owner", isOperator: true });
    const person = await makePerson(house, { role: "owner" });
    assert.deepEqual(await looks(person, project), [200, 200]);
    return { project, by, person };
  };
  const keysOf = async ({ projectId }: TestProject): Promise<number> =>
    (await house.database.pool.query("select from api_keys where project_id = $1", [projectId])).rowCount ??
    0;
  const linksTo = async (email: string): Promise<number> =>
    (await house.database.pool.query("select from person_links where email = $1", [email])).rowCount ?? 0;

  it("come one after the other: who was removed first makes nothing", async () => {
    const { project, by, person } = await scene();
    const before = await keysOf(project);
    const lock = { text: "select from organizations for update", values: [] };
    const email = `${person.id}@example.com`;
    const results = await collide(house, lock, [() => remove(by, person), () => invite(person, "-", email)]);
    assert.deepEqual(statusesOf(results), [204, 401]);
    assert.equal(await linksTo(email), 0);
    assert.equal((await makeKey(person, project)).status, 401);
    assert.equal(await keysOf(project), before);
  });

  it("come one after the other: who was faster has made it, and what lets people in ends with them", async () => {
    const { by, person } = await scene();
    const lock = { text: "select from organizations for update", values: [] };
    const email = `${person.id}@example.com`;
    const results = await collide(house, lock, [() => invite(person, "-", email), () => remove(by, person)]);
    assert.deepEqual(statusesOf(results), [201, 204]);
    assert.equal(await linksTo(email), 0);
  });

  it("come one after the other where the person's own rows are held, by whoever removes or lowers them", async () => {
    for (const [text, status] of [
      [`delete from people."user" where "id" = $1`, 401],
      [`delete from people."session" where "userId" = $1`, 401],
      ["update members set role = 'approver' where person_id = $1", 403],
    ] as const) {
      const { project, person } = await scene();
      const before = await keysOf(project);
      const lock = { text, values: [person.id] };
      const results = await collide(house, lock, [() => makeKey(person, project)]);
      assert.deepEqual(statusesOf(results), [status], text);
      assert.equal(await keysOf(project), before);
    }
  });

  it("come one after the other where a role in one project is taken away meanwhile", async () => {
    const { project, by } = await scene();
    const person = await makePerson(house);
    await giveRole(house, project.projectId, person, "owner");
    await looks(person, project);
    const before = await keysOf(project);
    const holder = await house.database.background.pool.connect();
    try {
      // The lowering locks the member while it waits to write its audit entry.
      await holder.query("begin");
      await holder.query("lock table audit_entries in share mode");
      const lowering = fetch(`${house.url}/api/people/people/${person.id}/role`, {
        method: "PUT",
        headers: { ...by.headers(project.projectId), "content-type": "application/json" },
        body: JSON.stringify({ role: "approver" }),
      });
      await untilWaiting(house, 1);
      const making = makeKey(person, project);
      await untilWaiting(house, 2);
      await holder.query("commit");
      assert.deepEqual([(await lowering).status, (await making).status], [204, 403]);
    } finally {
      holder.release();
    }
    assert.equal(await keysOf(project), before);
  });

  it("a removal waits for what the person is in the middle of", async () => {
    const { project, by, person } = await scene();
    const before = await keysOf(project);
    const lock = { text: "select from projects where id = $1 for update", values: [project.projectId] };
    const results = await collide(house, lock, [() => makeKey(person, project), () => remove(by, person)]);
    assert.deepEqual(statusesOf(results), [201, 204]);
    assert.equal(await keysOf(project), before + 1);
  });

  it("ends for two operators who remove each other: one is left", async () => {
    const { by } = await scene();
    const other = await makePerson(house, { role: "owner", isOperator: true });
    await looks(other, await house.project());
    const lock = { text: "select from organizations for update", values: [] };
    const results = await collide(house, lock, [() => remove(by, other), () => remove(other, by)]);
    assert.deepEqual(statusesOf(results), [204, 401]);
  });
});
