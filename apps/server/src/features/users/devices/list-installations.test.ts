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
  it("is not for the hosted agent, which may not read installations", async () => {
    const { agent } = await house.project();
    assert.equal((await refusal(agent.listInstallations())).status, 403);
  });
});
