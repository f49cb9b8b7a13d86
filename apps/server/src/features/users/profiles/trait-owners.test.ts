import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { setSettings } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { BELIEVED_MS, hashOf, secretOf } from "../../../../test/perimeter.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";

const house = testHouse();

type Traits = Record<string, unknown>;
type Item = Input<"identifyBatch">["body"]["users"][number];

const identifyPublicly = ({ sdk }: TestProject, userId: string, traits: Traits, userHash?: string) =>
  sdk.identify({ body: { userId, traits, ...(userHash === undefined ? {} : { userHash }) } });

const server = ({ api }: TestProject, userId: string, traits: Traits) =>
  api.identify({ body: { userId, traits } });

const batch = async ({ api }: TestProject, users: readonly unknown[]) =>
  (await api.identifyBatch({ body: { users: users as Item[] } })).results;

const userOf = async ({ api }: TestProject, id: string) => (await api.getUser({ path: { id } })).user;
const traitsOf = async (project: TestProject, id: string) => (await userOf(project, id)).traits;

describe("traits that the secret key set", () => {
  it("are not changed by a publishable key, which is told so", async () => {
    const project = await house.project();
    assert.deepEqual(await server(project, "ada", { plan: "pro", seats: 3 }), { ok: true });
    const answer = await identifyPublicly(project, "ada", { plan: "free", seats: null, theme: "dark" });
    assert.deepEqual(answer, { ok: true, ignored: ["plan", "seats"] });
    assert.deepEqual(await traitsOf(project, "ada"), { plan: "pro", seats: 3, theme: "dark" });
    assert.deepEqual(await identifyPublicly(project, "ada", { plan: "pro", theme: "light" }), { ok: true });
    assert.deepEqual(await server(project, "ada", { plan: "free" }), { ok: true });
    assert.deepEqual(await traitsOf(project, "ada"), { plan: "free", seats: 3, theme: "light" });
  });

  it("are the server's whoever said them first, and are given back with null", async () => {
    const project = await house.project();
    await identifyPublicly(project, "ada", { plan: "free" });
    await batch(project, [{ userId: "ada", traits: { plan: "pro" } }]);
    assert.deepEqual((await identifyPublicly(project, "ada", { plan: "free" })).ignored, ["plan"]);
    await server(project, "ada", { plan: null });
    assert.deepEqual(await traitsOf(project, "ada"), {});
    assert.deepEqual(await identifyPublicly(project, "ada", { plan: "free" }), { ok: true });
    assert.deepEqual(await traitsOf(project, "ada"), { plan: "free" });
  });

  it("are not changed by a user who is proven either", async () => {
    const project = await house.project();
    const right = hashOf(await secretOf(house, project), "ada");
    house.advance(BELIEVED_MS);
    await server(project, "ada", { plan: "pro", email: "ada@acme.example" });
    const answer = await identifyPublicly(project, "ada", { plan: "free", email: "eve@evil.example" }, right);
    assert.deepEqual(answer.ignored?.toSorted(), ["email", "plan"]);
  });

  it("are each named once, however many reasons there are against a change", async () => {
    const project = await house.project();
    await server(project, "ada", { plan: "pro", email: "ada@acme.example" });
    for (const closed of ["", "email, plan"]) {
      await setSettings(house, project, { "identity.serverTraits": closed });
      house.advance(BELIEVED_MS);
      for (const traits of [
        { email: "eve@evil.example", plan: "free" },
        { email: null, plan: null },
      ]) {
        const { ignored } = await identifyPublicly(project, "ada", traits);
        assert.deepEqual(ignored?.toSorted(), ["email", "plan"]);
      }
    }
  });

  it("hold while both keys write at once", async () => {
    const project = await house.project();
    await server(project, "ada", { plan: "pro" });
    const keys = Array.from({ length: 60 }, (_, i) => i);
    await Promise.all(
      keys.map((i) =>
        i % 3 === 0
          ? server(project, "ada", { [`server_${i}`]: i })
          : identifyPublicly(project, "ada", { plan: `forged ${i}`, [`page_${i}`]: i }),
      ),
    );
    const traits = await traitsOf(project, "ada");
    assert.deepEqual([traits.plan, Object.keys(traits).length], ["pro", 61]);
    const forged = Object.fromEntries(keys.filter((i) => i % 3 === 0).map((i) => [`server_${i}`, "forged"]));
    assert.equal((await identifyPublicly(project, "ada", forged)).ignored?.length, 20);
  });

  it("need no proof where pages have to bring one", async () => {
    const project = await house.project();
    await secretOf(house, project);
    await setSettings(house, project, { "identity.required": "true" });
    house.advance(BELIEVED_MS);
    assert.deepEqual(await server(project, "ada", { plan: "pro" }), { ok: true });
    assert.equal((await refusal(identifyPublicly(project, "ada", {}))).status, 401);
  });
});

describe("identity.serverTraits", () => {
  it("names traits that no publishable key sets, whoever said them before", async () => {
    const project = await house.project();
    await identifyPublicly(project, "ben", { plan: "free" });
    await setSettings(house, project, { "identity.serverTraits": "plan, email" });
    house.advance(BELIEVED_MS);
    const answer = await identifyPublicly(project, "ada", {
      plan: "pro",
      email: "a@b.example",
      theme: "dark",
    });
    assert.deepEqual(answer, { ok: true, ignored: ["plan", "email"] });
    assert.deepEqual(await traitsOf(project, "ada"), { theme: "dark" });
    assert.deepEqual((await identifyPublicly(project, "ben", { plan: null })).ignored, ["plan"]);
    assert.deepEqual(await traitsOf(project, "ben"), { plan: "free" });
    await server(project, "ada", { plan: "pro" });
    assert.deepEqual(await traitsOf(project, "ada"), { theme: "dark", plan: "pro" });
    await setSettings(house, project, { "identity.serverTraits": "" });
    house.advance(BELIEVED_MS);
    assert.deepEqual(await identifyPublicly(project, "ben", { plan: "pro" }), { ok: true });
  });
});

describe("email from a publishable key", () => {
  it("is taken as a first address, and not as another one", async () => {
    const project = await house.project();
    assert.deepEqual(await identifyPublicly(project, "ada", { email: "ada@acme.example" }), { ok: true });
    assert.deepEqual(await identifyPublicly(project, "ada", { email: "ada@acme.example", seats: 1 }), {
      ok: true,
    });
    for (const email of ["eve@evil.example", null, "", 5, ["eve@evil.example"]])
      assert.deepEqual(await identifyPublicly(project, "ada", { email }), { ok: true, ignored: ["email"] });
    assert.deepEqual(await traitsOf(project, "ada"), { email: "ada@acme.example", seats: 1 });
    await server(project, "ada", { email: "ada@new.example" });
    assert.equal((await traitsOf(project, "ada")).email, "ada@new.example");
  });

  it("may take the place of what is no address", async () => {
    const project = await house.project();
    for (const email of ["", "none", 5, null]) {
      await identifyPublicly(project, "ada", { email });
      assert.deepEqual(await identifyPublicly(project, "ada", { email }), { ok: true });
    }
    await identifyPublicly(project, "ada", { email: "ada@acme.example" });
    assert.equal((await traitsOf(project, "ada")).email, "ada@acme.example");
  });

  it("is changed by a user who is proven by their hash, also where none is demanded", async () => {
    const project = await house.project();
    const secret = await secretOf(house, project);
    house.advance(BELIEVED_MS);
    await identifyPublicly(project, "ada", { email: "ada@acme.example" });
    const move = (userHash: string) =>
      identifyPublicly(project, "ada", { email: "ada@new.example" }, userHash);
    for (const wrong of [hashOf(secret, "eve"), "no"])
      assert.deepEqual((await move(wrong)).ignored, ["email"], "a wrong hash proves nobody");
    assert.deepEqual(await move(hashOf(secret, "ada")), { ok: true });
    assert.equal((await traitsOf(project, "ada")).email, "ada@new.example");
  });

  it("of one of many at once is kept", async () => {
    const project = await house.project();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => identifyPublicly(project, "ada", { email: `${i}@acme.example` })),
    );
    const taken = answers.flatMap(({ ignored }, i) => (ignored === undefined ? [`${i}@acme.example`] : []));
    assert.deepEqual(taken, [(await traitsOf(project, "ada")).email]);
  });
});

describe("identifyBatch", () => {
  it("takes 500 users with as many traits as one may bring, and a mark of UTF-8 before them", async () => {
    const project = await house.project();
    const traits = { k: "x".repeat(4_096 - '{"k":""}'.length) };
    const users = Array.from({ length: 500 }, (_, index) => ({ userId: `user ${index}`, traits }));
    const headers = { authorization: `Bearer ${project.secretKey}`, "content-type": "application/json" };
    const body = `\ufeff${JSON.stringify({ users })}`;
    const answer = await fetch(`${project.url}/api/v1/identify/batch`, { method: "POST", headers, body });
    const { results } = (await answer.json()) as { results: { ok: boolean }[] };
    assert.equal(results.filter(({ ok }) => ok).length, 500);
  });

  it("refuses the user of whom a number cannot be kept, and takes the others", async () => {
    const project = await house.project();
    const headers = { authorization: `Bearer ${project.secretKey}`, "content-type": "application/json" };
    const body = `{"users":[{"userId":"ada","traits":{"id":9007199254740993}},{"userId":"bob","traits":{"id":9007199254740991}}]}`;
    const answer = await fetch(`${project.url}/api/v1/identify/batch`, { method: "POST", headers, body });
    assert.deepEqual(await answer.json(), {
      ok: 1,
      refused: 1,
      results: [
        { ok: false, error: "traits.id is a number that cannot be kept exactly: send it as a text" },
        { ok: true },
      ],
    });
    assert.equal((await project.api.listUsers()).total, 1);
  });

  it("answers in order, and does not hold up a user for another", async () => {
    const project = await house.project();
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, i]));
    const items: readonly [unknown, string | null][] = [
      [{ userId: "ada", traits: { plan: "pro" } }, null],
      [{ traits: {} }, "userId is required"],
      [{ userId: "x".repeat(257) }, "userId must be at most 256 characters"],
      [{ userId: "ben", traits: [] }, "traits must be an object"],
      [{ userId: "ben", traits: { k: "x".repeat(4_090) } }, "traits must be at most 4096 bytes as JSON"],
      [
        { userId: "ben", traits: many },
        "traits must not bring the user to more than 200 traits: say fewer, or null for those to take away",
      ],
      [{ userId: "ben", firstSeenAt: house.now() + 1 }, "firstSeenAt must not be in the future"],
      [
        { userId: "ben", firstSeenAt: 1_600_000_000 },
        "firstSeenAt must be epoch milliseconds, and 1600000000 looks like seconds: send 1600000000000",
      ],
      [null, "user must be a JSON object"],
      [{ userId: "ada", traits: { plan: "free", seats: 2 } }, null],
      [{ userId: "carl" }, null],
    ];
    const results = await batch(
      project,
      items.map(([item]) => item),
    );
    assert.deepEqual(
      results.map((result) => (result.ok ? null : result.error)),
      items.map(([, error]) => error),
    );
    assert.deepEqual(await traitsOf(project, "ada"), { plan: "free", seats: 2 });
    assert.equal((await refusal(project.api.getUser({ path: { id: "ben" } }))).status, 404);
    assert.deepEqual(await traitsOf(project, "carl"), {});
  });

  it("takes 500 users and no more, of the secret key alone", async () => {
    const project = await house.project();
    const users = Array.from({ length: 500 }, (_, i) => ({ userId: `u${i}`, traits: { i } }));
    assert.ok((await batch(project, users)).every(({ ok }) => ok));
    assert.equal((await project.api.getUserSummary()).totalUsers, 500);
    const { status, error } = await refusal(batch(project, [...users, { userId: "one more" }]));
    assert.deepEqual([status, error], [400, "users must be at most 500 entries"]);
    for (const client of [project.sdk, project.agent])
      assert.equal((await refusal(client.identifyBatch({ body: { users } }))).status, 403);
  });

  it("takes a megabyte", async () => {
    const project = await house.project();
    const users = Array.from({ length: 250 }, (_, i) => ({
      userId: `u${i}`,
      traits: { k: "x".repeat(4_000) },
    }));
    assert.ok((await batch(project, users)).every(({ ok }) => ok));
  });

  it("brings history in: firstSeenAt moves back only, and makes nobody active", async () => {
    const project = await house.project();
    const now = house.now();
    const years = (count: number) => now - count * 365 * DAY_MS;
    const active = async () =>
      (await project.api.getUsage()).projects.find(({ id }) => id === project.projectId)?.activeUsers;
    await batch(project, [
      { userId: "old", traits: { plan: "pro" }, firstSeenAt: years(3) },
      { userId: "old", firstSeenAt: years(2) },
      { userId: "iso", firstSeenAt: "2020-01-01T00:00:00+01:00" },
    ]);
    const old = await userOf(project, "old");
    assert.deepEqual([old.firstSeenAt, old.lastSeenAt, old.traits], [years(3), years(3), { plan: "pro" }]);
    assert.equal((await userOf(project, "iso")).firstSeenAt, Date.UTC(2019, 11, 31, 23));
    assert.equal(await active(), 0);
    await identifyPublicly(project, "old", {});
    house.advance(1_000);
    await batch(project, [{ userId: "old", firstSeenAt: years(4) }]);
    const seen = await userOf(project, "old");
    assert.deepEqual([seen.firstSeenAt, seen.lastSeenAt], [years(4), now]);
    assert.equal(await active(), 1);
    await batch(project, [{ userId: "new" }]);
    assert.deepEqual([(await userOf(project, "new")).lastSeenAt, await active()], [house.now(), 2]);
  });
});

describe("who says what", () => {
  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
