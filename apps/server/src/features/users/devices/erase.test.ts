import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TidingsError } from "@tidings/client";
import { type Device, deviceOf, install, rowOf } from "../../../../test/devices.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { collide } from "../../../../test/waiting.ts";
import { userRef } from "../../../domain/ids.ts";

const house = testHouse();

const erase = ({ api }: TestProject, id: string) => api.eraseUser({ path: { id } });

const TABLES = ["installations", "installation_tokens", "installation_acknowledgements"];

/** How many rows of each table contain a user's key or id. */
async function traces({ projectId }: TestProject, userId: string): Promise<Record<string, number>> {
  const { userKey } = userRef(projectId, userId);
  const found: Record<string, number> = {};
  for (const table of [...TABLES, "users"]) {
    const { rows } = await house.database.pool.query<{ count: number }>(
      `select count(*) as count from ${table} t
       where project_id = $1 and (t::text like '%' || $2 || '%' or t::text like '%' || $3 || '%')`,
      [projectId, userKey, userId],
    );
    if (rows[0]?.count) found[table] = rows[0].count;
  }
  return found;
}

async function rowsOf({ projectId }: TestProject): Promise<number[]> {
  const counts = TABLES.map(async (table) => {
    const { rows } = await house.database.pool.query<{ count: number }>(
      `select count(*) as count from ${table} where project_id = $1`,
      [projectId],
    );
    return rows[0]?.count ?? -1;
  });
  return Promise.all(counts);
}

describe("eraseUser", () => {
  it("takes the installations of the user along, and no others", async () => {
    const project = await house.project();
    const [phone, tablet, other] = [await install(project), await install(project), await install(project)];
    for (const [device, userId] of [
      [phone, "anna"],
      [tablet, "anna"],
      [other, "ben"],
    ] as const) {
      await device.bind(userId);
      await device.put(device.installationId);
      await device.say();
    }
    const left = await other.read();
    await erase(project, "anna");
    for (const device of [phone, tablet]) assert.equal((await refusal(device.read())).status, 404);
    assert.deepEqual(await other.read(), left);
    assert.deepEqual(await rowsOf(project), [1, 1, 3]);
    assert.deepEqual(await traces(project, "anna"), {});
    assert.deepEqual(await house.differences(), {});
    // The device registers again with the id and the capability that it has.
    const again = await install(project, phone);
    assert.deepEqual([(await again.read()).revision, (await again.bind("anna")).userId], [0, "anna"]);
  });

  it("forgets who used a device before, and what it was answered then", async () => {
    const project = await house.project();
    const device = await install(project);
    const done = [];
    for (const [i, userId] of ["carl", "anna", "ben", "anna", "ben", "dora"].entries()) {
      const given = { requestId: `${i}`, bindingGeneration: i, revision: i };
      done.push({ again: () => device.bind(userId, given), answer: await device.bind(userId, given) });
    }
    await erase(project, "anna");
    assert.deepEqual(await traces(project, "anna"), {});
    assert.deepEqual(await rowsOf(project), [1, 0, 2]);
    for (const { again } of done.slice(0, 4)) assert.equal((await refusal(again())).status, 409);
    for (const { again, answer } of done.slice(4)) assert.deepEqual(await again(), answer);
    await erase(project, "ben");
    assert.deepEqual(await traces(project, "ben"), {});
    assert.deepEqual(await done[5]?.again(), done[5]?.answer);
    assert.equal((await device.use()).revision, 7);
    assert.deepEqual(await house.differences(), {});
  });

  it("leaves a token that another installation has taken", async () => {
    const project = await house.project();
    const [phone, other] = [await install(project), await install(project)];
    await phone.bind("anna");
    await phone.put("one");
    await other.put("one");
    await erase(project, "anna");
    assert.equal((await other.read()).hasToken, true);
    assert.deepEqual(await house.differences(), {});
  });

  const cases: [string, (device: Device) => Promise<unknown>][] = [
    ["is bound to the same user", (device) => device.bind("anna")],
    ["is bound to another", (device) => device.bind("ben")],
    ["is unbound", (device) => device.bind(null)],
    ["puts another token", (device) => device.put("two")],
    ["is used", (device) => device.use()],
  ];
  for (const [name, change] of cases) {
    it(`at the moment when a device ${name}`, async () => {
      const project = await house.project();
      const elsewhere = await house.elsewhere(project);
      for (const isFirst of [true, false]) {
        const made = await install(project);
        await made.bind("anna");
        await made.put("one");
        const device = deviceOf(elsewhere, made.installationId, made.capability);
        const requests = [() => change(device), () => erase(project, "anna")];
        const [one, other] = await collide(house, rowOf(device), isFirst ? requests : requests.toReversed());
        const [changed, erased] = isFirst ? [one, other] : [other, one];
        assert.equal(erased?.status, "fulfilled");
        if (changed?.status === "rejected") {
          assert.ok(changed.reason instanceof TidingsError);
          assert.deepEqual([changed.reason.status, isFirst], [404, false]);
        }
        assert.deepEqual(await traces(project, "anna"), {});
        assert.deepEqual(await house.differences(), {});
      }
    });
  }

  it("among devices that change hands and tokens leaves nothing behind", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const users = ["anna", "ben", "carl"];
    const made = await Promise.all(Array.from({ length: 5 }, () => install(project)));
    let turns = 0;
    const isOver = () => turns >= 40;
    const expected = (error: unknown): void => {
      if (!(error instanceof TidingsError && [404, 409].includes(error.status))) throw error;
    };
    const loops = made.map(async (device, i) => {
      const { installationId, capability } = device;
      const there = deviceOf(i % 2 === 0 ? project : elsewhere, installationId, capability);
      for (let turn = i; !isOver(); turn++) {
        await install(project, device).catch(expected);
        await there.bind(users[turn % users.length] ?? null).catch(expected);
        await there.put(`token ${turn % 3}`).catch(expected);
        await there.use().catch(expected);
      }
    });
    let erased = 0;
    const eraser = async () => {
      for (; !isOver(); turns++) {
        const side = turns % 2 === 0 ? project : elsewhere;
        await erase(side, users[turns % users.length] ?? "").then(() => erased++, expected);
      }
    };
    await Promise.all([...loops, eraser()]);
    assert.ok(erased > 5, `${erased} erased`);
    assert.deepEqual(await house.differences(), {});
    for (const userId of users) {
      await erase(project, userId).catch(expected);
      assert.deepEqual(await traces(project, userId), {});
    }
    assert.deepEqual(await house.differences(), {});
    const { rows } = await house.database.pool.query<{ deadlocks: number }>(
      "select deadlocks from pg_stat_database where datname = current_database()",
    );
    assert.equal(rows[0]?.deadlocks, 0);
  });
});
