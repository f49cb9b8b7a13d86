import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

const NOTHING = {
  endUsers: 0,
  eventsLast7d: 0,
  activeCampaigns: 0,
  runningCampaigns: 0,
  withheldDeliveries: 0,
};

async function overviewOf({ api }: TestProject) {
  const { evaluatedAt, ...numbers } = await api.getOverview();
  assert.equal(evaluatedAt, house.now());
  return numbers;
}

const importAt = async ({ api }: TestProject, instants: readonly number[]) => {
  const events = instants.map((ts) => ({ userId: "anna", event: "paid", ts }));
  const { results } = await api.trackBatch({ body: { events } });
  assert.ok(results.every(({ ok }) => ok));
};

describe("getOverview", () => {
  it("counts what a project has, and nothing of another", async () => {
    const project = await house.project();
    assert.deepEqual(await overviewOf(project), NOTHING);
    await project.sdk.track({ body: { userId: "anna", event: "paid" } });
    await project.sdk.identify({ body: { userId: "ben" } });
    await launchCampaign(project);
    await messagesOf(project, "carl");
    assert.deepEqual(await overviewOf(project), {
      endUsers: 3,
      eventsLast7d: 1,
      activeCampaigns: 1,
      runningCampaigns: 1,
      withheldDeliveries: 0,
    });
    assert.deepEqual(await overviewOf(await house.project()), NOTHING);
    assert.equal((await project.agent.getOverview()).endUsers, 3);
  });

  it("counts launched campaigns whatever their window, and apart from them those whose window is open", async () => {
    const project = await house.project();
    const later = await launchCampaign(project, { deliverFrom: house.now() + DAY_MS });
    await launchCampaign(project, { deliverUntil: house.now() + 1 });
    await launchCampaign(project, { launch: false });
    const { id } = await launchCampaign(project);
    house.advance(2);
    const active = async () => {
      const { activeCampaigns, runningCampaigns } = await overviewOf(project);
      return [activeCampaigns, runningCampaigns];
    };
    assert.deepEqual(await active(), [3, 1]);
    const set = (campaign: string, action: "pause" | "launch" | "end") =>
      project.api.setCampaignStatus({ path: { id: campaign }, body: { action } });
    await set(id, "pause");
    assert.deepEqual(await active(), [2, 0]);
    await set(id, "launch");
    await set(later.id, "end");
    assert.deepEqual(await active(), [2, 1]);
  });

  it("counts events of seven days, to the millisecond, wherever in a day it is asked", async () => {
    const midnight = Date.UTC(2026, 1, 10);
    for (const [now, name] of [
      [midnight, "midnight"],
      [midnight + 1, "just after"],
      [midnight - 1, "just before"],
      [midnight + 12 * 3_600_000 + 345, "midday"],
    ] as const) {
      house.at(now);
      const project = await house.project();
      const since = now - 7 * DAY_MS;
      await importAt(project, [since - DAY_MS, since - 1]);
      assert.equal((await overviewOf(project)).eventsLast7d, 0, name);
      await importAt(project, [since, since + 1, midnight - 6 * DAY_MS, midnight - 6 * DAY_MS - 1, now]);
      assert.equal((await overviewOf(project)).eventsLast7d, 5, name);
      house.at(now + 1);
      assert.equal((await overviewOf(project)).eventsLast7d, 4, name);
      house.at(now + 7 * DAY_MS);
      assert.equal((await overviewOf(project)).eventsLast7d, 1, name);
      house.at(now + 7 * DAY_MS + 1);
      assert.equal((await overviewOf(project)).eventsLast7d, 0, name);
    }
  });
});
