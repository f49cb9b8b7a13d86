import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Device, deviceOf, install } from "../../../../../test/devices.ts";
import { makeMany } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { collide } from "../../../../../test/waiting.ts";

const house = testHouse();

/** Every token of a project, with the id of the installation that has it. */
async function owners({ projectId }: TestProject): Promise<string[]> {
  const { rows } = await house.database.pool.query<{ has: string }>(
    `select i.installation_id || ' ' || t.token as has from installation_tokens t
     join installations i on i.lane = t.installation_lane and i.installation_key = t.installation_key
     where t.project_id = $1 order by 1`,
    [projectId],
  );
  return rows.map(({ has }) => has);
}

async function countDeadlocks(): Promise<number> {
  const { rows } = await house.database.pool.query<{ deadlocks: number }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  );
  return rows[0]?.deadlocks ?? -1;
}

const has = (devices: readonly Device[]) =>
  Promise.all(devices.map(async (each) => (await each.read()).hasToken));

describe("setInstallationToken", () => {
  it("puts, replaces and removes the token, and leaves everything else", async () => {
    const project = await house.project();
    const device = await install(project);
    await device.bind("anna");
    await device.say();
    const before = await device.use();
    const put = await device.put("one");
    assert.deepEqual(put, { ...before, revision: 4, tokenRevision: 1, hasToken: true });
    assert.deepEqual(await device.put("two"), { ...put, revision: 5, tokenRevision: 2 });
    assert.deepEqual(await owners(project), [`${device.installationId} two`]);
    const removed = await device.put(null);
    assert.deepEqual(removed, { ...put, revision: 6, tokenRevision: 3, hasToken: false });
    assert.deepEqual(await owners(project), []);
    assert.deepEqual(await device.put(null), { ...removed, revision: 7 });
    assert.deepEqual(await device.read(), { ...removed, revision: 7 });
  });

  it("that it has already raises the revision only", async () => {
    const device = await install(await house.project());
    const put = await device.put("one");
    assert.deepEqual(await device.put("one"), { ...put, revision: 2 });
  });

  it("stays with the device when its user changes", async () => {
    const project = await house.project();
    const device = await install(project);
    await device.put("one");
    for (const userId of ["anna", "ben", null]) assert.equal((await device.bind(userId)).hasToken, true);
    assert.deepEqual(await owners(project), [`${device.installationId} one`]);
  });

  it("takes 1 to 4096 characters, and no others", async () => {
    const project = await house.project();
    const device = await install(project);
    for (const token of ["t", "💥".repeat(4_096)]) assert.equal((await device.put(token)).hasToken, true);
    for (const [token, error] of [
      ["", "token must not be empty"],
      ["t".repeat(4_097), "token must be at most 4096 characters"],
      ["a\0", "token must not contain NUL characters or unpaired surrogates"],
      [5, "token must be a string"],
      [undefined, "token is required"],
    ] as const) {
      const refused = await refusal(device.put(token as string));
      assert.deepEqual([refused.status, refused.error], [400, error]);
    }
    assert.equal((await device.read()).revision, 2);
  });

  it("needs the revision of the token there is", async () => {
    const project = await house.project();
    const device = await install(project);
    await device.put("one");
    for (const tokenRevision of [0, 2])
      assert.equal((await refusal(device.put("two", { tokenRevision }))).status, 409);
    assert.deepEqual(await owners(project), [`${device.installationId} one`]);
  });
});

describe("a token that another installation puts", () => {
  it("is taken: the one before has none, and nothing else about it changes", async () => {
    const project = await house.project();
    const [first, second] = [await install(project), await install(project)];
    await first.bind("anna");
    const before = await first.put("one");
    const taken = await second.put("one");
    assert.equal(taken.hasToken, true);
    assert.deepEqual(await first.read(), { ...before, hasToken: false });
    assert.deepEqual(await owners(project), [`${second.installationId} one`]);
    const listed = (await project.api.listInstallations()).installations.map(({ hasToken }) => hasToken);
    assert.deepEqual(listed.toSorted(), [false, true]);

    // The installation that lost its token keeps its revision and its other guards.
    assert.deepEqual(await first.use({ revision: before.revision }), {
      ...before,
      hasToken: false,
      revision: before.revision + 1,
      lastActiveAt: house.now(),
    });
    assert.deepEqual(await has([first, second]), [false, true]);
    const back = await first.put("one", { tokenRevision: 1 });
    assert.deepEqual([back.hasToken, back.tokenRevision], [true, 2]);
    assert.deepEqual(await has([first, second]), [true, false]);
    assert.deepEqual(await house.differences(), {});
  });

  it("is not lost when the one that had it puts or removes another", async () => {
    const project = await house.project();
    const [first, second] = [await install(project), await install(project)];
    await first.put("one");
    await second.put("one");
    await first.put("two");
    assert.deepEqual(await has([first, second]), [true, true]);
    await second.put("two");
    await first.put(null);
    assert.deepEqual(await owners(project), [`${second.installationId} two`]);
    assert.deepEqual(await house.differences(), {});
  });

  it("is another one in another project, app, environment, or at another provider", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const devices = [
      await install(project),
      await install(other),
      await install(project, { appId: "com.example.other" }),
      await install(project, { environment: "development" }),
      await install(project, { platform: "android" }),
    ];
    for (const device of devices) await device.put("one");
    assert.deepEqual(await has(devices), [true, true, true, true, true]);
  });

  it("stays where it is when the change is refused", async () => {
    const project = await house.project();
    const [first, second] = [await install(project), await install(project)];
    await first.put("one");
    assert.equal((await refusal(second.put("one", { revision: 5 }))).status, 409);
    assert.deepEqual(await has([first, second]), [true, false]);
  });
});

describe("many at once", () => {
  it("200 installations that put one token leave it with exactly one", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const devices = await makeMany(200, () => install(project));
    const given = { bindingGeneration: 0, revision: 0, tokenRevision: 0 };
    const answers = await Promise.all(
      devices.map(({ installationId, capability }, i) =>
        deviceOf(i % 2 === 0 ? project : elsewhere, installationId, capability).put("one", given),
      ),
    );
    assert.ok(
      answers.every(({ hasToken, revision, tokenRevision }) => hasToken && revision + tokenRevision === 2),
    );
    assert.equal((await has(devices)).filter(Boolean).length, 1);
    assert.equal((await owners(project)).length, 1);
    assert.deepEqual(await house.differences(), {});
    assert.equal(await countDeadlocks(), 0);
  });

  it("two that swap their tokens at the same moment both get what they put", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const [first, made] = [await install(project), await install(project)];
    const second = deviceOf(elsewhere, made.installationId, made.capability);
    const lockStatement = {
      text: "select from installation_tokens where project_id = $1 for update",
      values: [project.projectId],
    };
    await first.put("one");
    await second.put("two");
    for (const [left, right] of [
      ["two", "one"],
      ["one", "two"],
      ["two", "one"],
    ] as const) {
      const answers = await collide(house, lockStatement, [() => first.put(left), () => second.put(right)]);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(["fulfilled"]));
      assert.deepEqual(
        await owners(project),
        [`${first.installationId} ${left}`, `${second.installationId} ${right}`].toSorted(),
      );
    }
    assert.deepEqual(await house.differences(), {});
  });

  it("installations that swap their tokens over and over never wait in a circle", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const devices = await Promise.all(Array.from({ length: 6 }, () => install(project)));
    const tokens = ["one", "two", "three", "four"];
    const turns = devices.map(async ({ installationId, capability }, i) => {
      const device = deviceOf(i % 2 === 0 ? project : elsewhere, installationId, capability);
      for (let turn = 0; turn < 40; turn++) {
        const token = turn % 7 === 6 ? null : (tokens[(turn * (i + 1) + i) % tokens.length] ?? null);
        assert.equal((await device.put(token)).hasToken, token !== null);
      }
    });
    await Promise.all(turns);
    assert.equal(await countDeadlocks(), 0);
    const taken = (await has(devices)).filter(Boolean).length;
    assert.equal((await owners(project)).length, taken);
    assert.deepEqual(await house.differences(), {});
  });
});
