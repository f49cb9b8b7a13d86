import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpoints, peopleEndpoints } from "../src/features.ts";
import { FRESH_MS, SCOPE_HEADER } from "../src/platform/http/admission/admit-person.ts";
import { isManagementWrite, successStatus } from "../src/platform/http/contract/endpoint.ts";
import { PERSON_ROLES, type PersonRole } from "../src/platform/http/contract/person.ts";
import type { Sample, Spec } from "./derived-samples.ts";
import { mirrorsFolder } from "./from-code.ts";
import { type TestProject, testHouse } from "./harness.ts";
import { giveRole, makePerson, signedInAgo, type TestPerson } from "./people.ts";
import { peopleSampleOf, sampleOfNothing } from "./people-samples.ts";
import type { World } from "./project-world.ts";
import { type Answered, assertRefused, sampleOf, send, wholeWorld, worldFor } from "./samples.ts";

// Nothing answers at this DNS server, which is an answer too.
const house = testHouse({ dataDir: mirrorsFolder(), mode: "managed", sourcesPrivate: true });
const all = [...endpoints, ...peopleEndpoints];

const isRole = (allowed: string): allowed is PersonRole => PERSON_ROLES.some((role) => role === allowed);

const aboutOrganization = ({ scope }: Spec): boolean => scope === "organization" || scope === "either";

/** A request of an operation that succeeds, for one person. */
async function sampleFor(spec: Spec, project: TestProject, person: TestPerson): Promise<Sample> {
  if (spec.keys.length > 0) return sampleOf(spec, await worldFor(house, project, spec));
  return peopleSampleOf(spec, { house, person, project, isEverywhere: aboutOrganization(spec) });
}

/** A value that is made once for a name. */
function once<Value>(make: (name: PersonRole | null) => Promise<Value>): typeof make {
  const made = new Map<PersonRole | null, Promise<Value>>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}

/** The people of the house: for each role one who gets it in single projects, and one who has it in all. */
const personHere = once(() => makePerson(house));
const personEverywhere = once((role) => makePerson(house, { role }));
let running: Promise<TestPerson> | undefined;
/** One who runs the server. */
const operator = () => (running ??= makePerson(house, { role: "owner", isOperator: true }));
/** A project for each role, for requests that are refused. */
const projectFor = once(() => house.project());

let reading: Promise<{ project: TestProject; world: World }> | undefined;
/** One project with things in it, for requests that change nothing. */
const readProject = () =>
  (reading ??= house
    .project()
    .then(async (project) => ({ project, world: await wholeWorld(house, project) })));

type Asking = { project: TestProject; person: TestPerson; scope: string };

/** A person with a role where an operation is about: in one project, or in all of them. */
async function personWith(spec: Spec, role: PersonRole | null, given?: TestProject): Promise<Asking> {
  const project = given ?? (await projectFor(role));
  if (spec.people === "operator" && role === "owner")
    return { project, person: await operator(), scope: "-" };
  if (aboutOrganization(spec)) return { project, person: await personEverywhere(role), scope: "-" };
  const person = await personHere(role);
  await giveRole(house, project.projectId, person, role);
  return { project, person, scope: project.projectId };
}

const sendAs = (
  spec: Spec,
  { person, scope }: Pick<Asking, "person" | "scope">,
  given: Sample,
  headers: Record<string, string> = {},
): Promise<Answered> =>
  send(house, spec, { ...given, headers: { ...given.headers, ...person.headers(scope), ...headers } });

async function entriesOf(person: TestPerson) {
  const { rows } = await house.database.pool.query<{
    operation: string;
    by_name: string;
    project_id: string | null;
  }>("select operation, by_name, project_id from audit_entries where by_id = $1 order by id", [person.id]);
  return rows;
}

for (const endpoint of all) {
  const { spec } = endpoint;
  const { people: allowed } = spec;

  describe(`${spec.id} for people`, () => {
    if (allowed === "open") {
      it("is open to this server's pages, and to no others", async () => {
        const given = sampleOfNothing(spec);
        assertRefused(await send(house, spec, { ...given, headers: { origin: house.url } }), 404);
        for (const headers of [
          {},
          { origin: "https://evil.example" },
          { origin: "null" },
          { origin: house.url, "sec-fetch-site": "cross-site" },
        ])
          assertRefused(await send(house, spec, { ...given, headers }), 403, /other origins/);
      });
      return;
    }

    it("takes a cookie only with the header that says what it is about", async () => {
      const { person, scope } = await personWith(spec, "owner");
      const given = sampleOfNothing(spec);
      const { [SCOPE_HEADER]: _, ...bare } = person.headers(scope);
      assertRefused(await send(house, spec, { ...given, headers: bare }), 401, "Unauthorized");
      const strange = {
        ...given,
        headers: { ...person.headers(scope), cookie: "tidings.session_token=x.y" },
      };
      assertRefused(await send(house, spec, strange), 401, "Unauthorized");
      for (const about of ["", "x", "019B0000-0000-7000-8000-000000000000", `${scope}x`])
        assertRefused(await sendAs(spec, { person, scope: about }, given), 400, /^X-Tidings-Project must be/);
    });

    it("is closed to pages of other origins", async () => {
      const asking = await personWith(spec, "owner");
      const given = sampleOfNothing(spec);
      const foreign: Record<string, string>[] = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
      ];
      if (spec.method !== "GET") foreign.push({ origin: "https://evil.example" }, { origin: "null" });
      for (const headers of foreign)
        assertRefused(await sendAs(spec, asking, given, headers), 403, /^Pages of other origins/);
    });

    if (allowed === undefined) {
      it("is closed to people, whatever their role", async () => {
        const asking = await personWith(spec, "owner");
        assertRefused(
          await sendAs(spec, asking, sampleOfNothing(spec)),
          403,
          `This takes the ${spec.keys.join(" or the ")} key of the project.`,
        );
      });
      return;
    }

    const least = isRole(allowed) ? allowed : allowed === "operator" ? "owner" : null;
    const lower = least === null ? [] : PERSON_ROLES.slice(0, PERSON_ROLES.indexOf(least));
    const lacking = (role: PersonRole): string =>
      allowed === "operator"
        ? "This takes an operator, who runs the server."
        : `This takes the role ${least}, and yours is ${role}.`;

    if (allowed === "operator")
      it("is closed to those who do not run the server, owners of all projects too", async () => {
        for (const role of [null, ...PERSON_ROLES]) {
          const person = await personEverywhere(role);
          const before = await entriesOf(person);
          assertRefused(
            await sendAs(spec, { person, scope: "-" }, sampleOfNothing(spec)),
            403,
            lacking("owner"),
          );
          assert.deepEqual(await entriesOf(person), before);
        }
      });

    if (!aboutOrganization(spec)) {
      it("says of other projects that they are not there", async () => {
        const { person } = await personWith(spec, "owner");
        const other = await projectFor(null);
        for (const scope of [other.projectId, "019b0000-0000-7000-8000-000000000000"])
          assertRefused(
            await sendAs(spec, { person, scope }, sampleOfNothing(spec)),
            404,
            "Project not found",
          );
        assertRefused(
          await sendAs(spec, { person, scope: "-" }, sampleOfNothing(spec)),
          400,
          /must be the id of a project/,
        );
      });
    } else if (spec.scope === "organization") {
      it("is about no single project", async () => {
        const { person, project } = await personWith(spec, "owner");
        assertRefused(
          await sendAs(spec, { person, scope: project.projectId }, sampleOfNothing(spec)),
          400,
          /^X-Tidings-Project must be -/,
        );
      });
    }

    for (const role of lower)
      it(`is closed to the role ${role}`, async () => {
        const asking = await personWith(spec, role);
        const before = await entriesOf(asking.person);
        const answer = await sendAs(spec, asking, sampleOfNothing(spec));
        assertRefused(answer, 403, lacking(role));
        assert.deepEqual(await entriesOf(asking.person), before);
      });

    it(`is open to ${allowed === "operator" ? "operators" : `the role ${least ?? "none"}`}, and leaves its entry in the audit log`, async () => {
      // One of its own where it changes something.
      const isRead = spec.method === "GET" && spec.keys.length > 0;
      const shared = isRead ? await readProject() : null;
      const asking = await personWith(spec, least, shared?.project ?? (await house.project()));
      const { person, project, scope } = asking;
      const before = await entriesOf(person);
      const given = shared === null ? await sampleFor(spec, project, person) : sampleOf(spec, shared.world);
      const answer = await sendAs(spec, asking, given);
      assert.equal(answer.status, successStatus(spec), answer.text);
      const after = (await entriesOf(person)).slice(before.length);
      const entry = { operation: spec.id, by_name: person.name, project_id: scope === "-" ? null : scope };
      assert.deepEqual(after, isManagementWrite(endpoint) || spec.audited ? [entry] : []);
    });

    if (isManagementWrite(endpoint) && !aboutOrganization(spec)) {
      it("has one effect and one entry for one Idempotency-Key", async () => {
        const asking = await personWith(spec, least, await house.project());
        const given = await sampleFor(spec, asking.project, asking.person);
        const before = (await entriesOf(asking.person)).length;
        const key = { "idempotency-key": "once" };
        const first = await sendAs(spec, asking, given, key);
        assert.equal(first.status, successStatus(spec), first.text);
        const again = await sendAs(spec, asking, given, key);
        assert.deepEqual([again.status, again.text], [first.status, first.text]);
        assert.equal(again.headers.get("idempotent-replayed"), "true");
        assert.equal((await entriesOf(asking.person)).length, before + 1);
      });
    }

    if (isManagementWrite(endpoint) && aboutOrganization(spec)) {
      it("takes no Idempotency-Key where it is about no single project", async () => {
        const asking = await personWith(spec, least);
        const answer = await sendAs(spec, asking, sampleOfNothing(spec), { "idempotency-key": "once" });
        assertRefused(answer, 400, /^Idempotency-Key must be left out/);
      });
    }

    if (spec.fresh) {
      it("asks a person to sign in again after ten minutes", async () => {
        const person = await makePerson(house, { role: "owner", isOperator: true });
        const { scope } = await personWith(spec, "owner");
        await signedInAgo(house, person, FRESH_MS);
        const { status, text } = await sendAs(spec, { person, scope }, sampleOfNothing(spec));
        assert.deepEqual(
          [status, JSON.parse(text)],
          [403, { error: "Sign in again to confirm this.", reason: "confirm" }],
        );
      });
    }
  });
}

/** Objects in which nothing has to be: all is then as the project has it. */
const MAY_BE_EMPTY = ["previewTiming settings"];

describe("what people send", () => {
  const withOwner = async (spec: Spec) => {
    const { person, scope } = await personWith(spec, "owner");
    const headers = spec.people === "open" ? { origin: house.url } : person.headers(scope);
    return (given: Parameters<typeof send>[2]) =>
      send(house, spec, { ...given, headers: { ...headers, ...given.headers } });
  };

  for (const { spec } of peopleEndpoints) {
    const given = sampleOfNothing(spec);
    if (spec.body !== undefined)
      it(`${spec.id} refuses a body that is none, or says too much`, async () => {
        const ask = await withOwner(spec);
        for (const raw of ["{", "[]", "null", "", '{"__proto__":{}}', "x".repeat(9_000)])
          assert.ok([400, 413].includes((await ask({ ...given, raw })).status), raw.slice(0, 20));
        assertRefused(
          await ask({ ...given, body: { ...given.body, unknwon: 1 } }),
          400,
          /^unknwon: unknown field/,
        );
        for (const name of Object.keys(given.body ?? {})) {
          const empty = MAY_BE_EMPTY.includes(`${spec.id} ${name}`) ? [] : [{}];
          for (const value of ["a\0b", "\ud800", 7, [], ...empty, "", "💥".repeat(500)])
            assertRefused(await ask({ ...given, body: { ...given.body, [name]: value } }), 400);
        }
      });
    for (const name of Object.keys(given.path ?? {}))
      it(`${spec.id} refuses a ${name} that cannot be one`, async () => {
        const ask = await withOwner(spec);
        // Ids of what keys know as well may be any text, which then names nothing.
        const least = name === "id" ? 404 : 400;
        for (const value of ["x", "\0", "💥", "x".repeat(6_000), "' or 1=1"]) {
          const isText = value.length < 100 && value !== "\0";
          assertRefused(
            await ask({ ...given, path: { ...given.path, [name]: value } }),
            isText ? least : 400,
          );
        }
      });
  }
});
