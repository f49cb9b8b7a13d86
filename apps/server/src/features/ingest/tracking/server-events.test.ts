import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { install } from "../../../../test/devices.ts";
import { setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { observerOf } from "../../../../test/observing.ts";
import { BELIEVED_MS } from "../../../../test/perimeter.ts";

const house = testHouse();

async function projectWith(events: string): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, { "identity.serverEvents": events });
  house.advance(BELIEVED_MS);
  return project;
}

const namesOf = async ({ api }: TestProject, id: string): Promise<string[]> =>
  (await api.listUserEvents({ path: { id } })).events.map(({ name }) => name).toSorted();

describe("identity.serverEvents", () => {
  it("count from the secret key only: nothing else is recorded, and that is said", async () => {
    const project = await projectWith("paid, refunded");
    const ignored = { ok: true, ignored: true };
    assert.deepEqual(await project.sdk.track({ body: { userId: "eve", event: "paid" } }), ignored);
    assert.equal((await refusal(project.api.getUser({ path: { id: "eve" } }))).status, 404);

    const events = ["paid", "opened", "refunded"].map((event) => ({ userId: "ada", event }));
    assert.deepEqual((await project.sdk.trackBatch({ body: { events } })).results, [
      ignored,
      { ok: true },
      ignored,
    ]);
    assert.deepEqual(await namesOf(project, "ada"), ["opened"]);

    assert.deepEqual(await project.api.track({ body: { userId: "ada", event: "paid" } }), { ok: true });
    const { results } = await project.api.trackBatch({ body: { events } });
    assert.deepEqual(results, [{ ok: true }, { ok: true }, { ok: true }]);
    assert.deepEqual(await namesOf(project, "ada"), ["opened", "opened", "paid", "paid", "refunded"]);
  });

  it("convert for a goal from the secret key only", async () => {
    const project = await projectWith("paid");
    const { goal } = await project.api.createGoal({ body: { name: "Pay", targetEvent: "paid" } });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const [message] = await messagesOf(project, "ada");
    await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    const converted = async () => (await project.api.getCampaign({ path: { id } })).campaign.stats.converted;
    house.advance(1_000);
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    assert.equal(await converted(), 0);
    await project.api.track({ body: { userId: "ada", event: "paid" } });
    assert.equal(await converted(), 1);
  });

  it("are acknowledged to a device, and not recorded", async () => {
    const project = await projectWith("paid");
    const device = await install(project);
    await device.bind("ada");
    const observer = observerOf(project, device);
    const answer = await observer.tell({ kind: "event", event: "paid" }, { kind: "event", event: "opened" });
    assert.deepEqual(answer, { acknowledgedThrough: 2 });
    assert.deepEqual(await observer.tell({ kind: "event", event: "paid" }), { acknowledgedThrough: 3 });
    assert.deepEqual(await namesOf(project, "ada"), ["opened"]);
  });

  it("hold in every process within five seconds, and no longer than they are set", async () => {
    const project = await house.project();
    const there = await house.elsewhere(project);
    const ignored = async () =>
      Promise.all(
        [project, there].map(
          async ({ sdk }) => (await sdk.track({ body: { userId: "ada", event: "paid" } })).ignored,
        ),
      );
    assert.deepEqual(await ignored(), [undefined, undefined]);
    for (const [events, expected] of [
      ["paid", true],
      ["", undefined],
    ] as const) {
      await setSettings(house, project, { "identity.serverEvents": events });
      house.advance(BELIEVED_MS);
      assert.deepEqual(await ignored(), [expected, expected]);
    }
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
