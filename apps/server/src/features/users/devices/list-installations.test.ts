import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { install } from "../../../../test/devices.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

describe("listInstallations", () => {
  it("shows those of a project, newest first, by user and page by page", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await (await install(other)).bind("anna");
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) {
      const device = await install(project, { platform: i % 2 === 0 ? "ios" : "android" });
      if (i < 3) await device.bind("anna");
      ids.unshift(device.installationId);
      house.advance(1);
    }
    const list = async (query: Record<string, string | number> = {}) => {
      const { installations, ...page } = await project.api.listInstallations({ query });
      return { ids: installations.map(({ id }) => id), page };
    };
    assert.deepEqual(await list(), { ids: ids.slice(0, 25), page: { page: 1, perPage: 25, total: 30 } });
    assert.deepEqual(await list({ page: 2 }), {
      ids: ids.slice(25),
      page: { page: 2, perPage: 25, total: 30 },
    });
    assert.deepEqual((await list({ page: 4, perPage: 9 })).ids, ids.slice(27));
    assert.deepEqual(await list({ page: 5, perPage: 9 }), {
      ids: [],
      page: { page: 5, perPage: 9, total: 30 },
    });
    assert.deepEqual((await list({ userId: "anna" })).ids, ids.slice(27));
    assert.deepEqual(await list({ userId: "nobody" }), { ids: [], page: { page: 1, perPage: 25, total: 0 } });
    const [first] = (await project.api.listInstallations({ query: { userId: "anna", perPage: 1 } }))
      .installations;
    assert.deepEqual([first?.userId, first?.bindingGeneration, first?.hasToken], ["anna", 1, false]);
    for (const query of [
      { perPage: 0 },
      { perPage: 101 },
      { page: 0 },
      { userId: "" },
      { userId: "x".repeat(257) },
    ])
      assert.equal((await refusal(list(query as Record<string, number>))).status, 400);
  });
  it("finds them by what they are, and by a part of an id", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const make = async (installationId: string, given: Parameters<typeof install>[1], userId: string) => {
      const device = await install(project, { installationId, ...given });
      await device.bind(userId);
      house.advance(1);
      return device;
    };
    const phone = await make("phone-1", { platform: "ios" }, "ada%_lovelace");
    await phone.say({ permission: "denied" });
    await phone.put("f00d0001");
    const tablet = await make("tablet-2", { platform: "android", appId: "com.other" }, "grace");
    await tablet.say({ permission: "granted", consent: false });
    await make("phone-3", { platform: "ios", environment: "development" }, "Ada");
    // Its token is taken from it.
    const late = await make("late-4", { platform: "ios" }, "eve");
    await late.put("f00d0001");
    await (await install(other, { installationId: "phone-5" })).bind("ada");
    const found = async (query: Record<string, string>) => {
      const { installations, total } = await project.api.listInstallations({ query });
      assert.equal(total, installations.length);
      return installations.map(({ id }) => id);
    };
    const all = ["late-4", "phone-3", "tablet-2", "phone-1"];
    for (const [query, ids] of [
      [{}, all],
      [{ q: "" }, all],
      [{ q: "ADA" }, ["phone-3", "phone-1"]],
      [{ q: "%_" }, ["phone-1"]],
      [{ q: "HONE-" }, ["phone-3", "phone-1"]],
      [{ platform: "android" }, ["tablet-2"]],
      [{ appId: "com.other" }, ["tablet-2"]],
      [{ appId: "com.OTHER" }, []],
      [{ environment: "development" }, ["phone-3"]],
      [{ permission: "denied" }, ["phone-1"]],
      [{ consent: "true" }, ["phone-1"]],
      [{ consent: "false" }, ["late-4", "phone-3", "tablet-2"]],
      [{ hasToken: "true" }, ["late-4"]],
      [{ hasToken: "false" }, ["phone-3", "tablet-2", "phone-1"]],
      [{ platform: "ios", consent: "false", hasToken: "false" }, ["phone-3"]],
      [{ q: "ada", userId: "Ada" }, ["phone-3"]],
    ] as [Record<string, string>, string[]][])
      assert.deepEqual(await found(query), ids, JSON.stringify(query));
    for (const query of [
      { platform: "watch" },
      { consent: "yes" },
      { hasToken: "" },
      { permission: "GRANTED" },
      { appId: "" },
      { q: "x".repeat(257) },
      { q: "a\0b" },
    ] as Record<string, string>[])
      assert.equal((await refusal(found(query))).status, 400, JSON.stringify(query));
  });
  it("is not for the hosted agent, which may not read installations", async () => {
    const { agent } = await house.project();
    assert.equal((await refusal(agent.listInstallations())).status, 403);
  });
});
