import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { inspect, launchPush, pushHouse, reachable, stateOf } from "../../../../test/push.ts";
import { makeTopic } from "../../../../test/topics.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";

const { house, apns, sendingProject } = await pushHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const soon = async (): Promise<void> => {
  house.advance(30 * SECOND_MS);
  await house.drain();
};

describe("a push about a topic", () => {
  it("goes to users who want it: by what the user chose for pushes, and not by their address", async () => {
    const project = await sendingProject();
    const { api } = project;
    const { id: topicId } = await makeTopic(project);
    const devices = { ada: await reachable(project, "ada"), ben: await reachable(project, "ben") };
    await api.identify({ body: { userId: "ben", traits: { email: "ben@example.com" } } });
    const choices = (wants: "in" | "out", channel: "email" | "push") => ({
      choices: [{ topic: "news", wants, channel }],
    });
    await api.putUserSubscriptions({ path: { id: "ada" }, body: choices("out", "push") });
    await api.putUserSubscriptions({ path: { id: "ben" }, body: choices("out", "email") });
    const draft = await launchPush(project, { topicId, launch: false });
    const { unreachable } = await api.takeCampaignCensus({ path: { id: draft.id } });
    assert.equal(unreachable.find(({ reason }) => reason === "not_subscribed")?.users, 1);
    const { id } = await launchPush(project, { topicId });
    await house.drain();
    const tokens = () => apns.taken.map(({ token }) => token);
    assert.ok(tokens().includes(devices.ben.token));
    assert.ok(!tokens().includes(devices.ada.token));
    const { gates } = await api.explainCampaign({ path: { id }, body: { userId: "ada" } });
    const stop = gates.find(({ passes }) => passes === false);
    assert.deepEqual(
      [stop?.gate, stop !== undefined && "reason" in stop && stop.reason],
      ["topic", "not_subscribed"],
    );
    const waiting = (await inspect(project, id)).recipients.find(({ state }) => state.kind === "waiting");
    assert.deepEqual(waiting?.state.kind === "waiting" ? waiting.state.reason : null, "not_subscribed");
    await api.putUserSubscriptions({ path: { id: "ada" }, body: choices("in", "push") });
    await soon();
    assert.ok(tokens().includes(devices.ada.token));
  });

  it("does not leave for a user who leaves the topic once it is planned", async () => {
    const project = await sendingProject();
    const { api } = project;
    const { id: topicId } = await makeTopic(project);
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project, { topicId, deliverFrom: house.now() + 60 * SECOND_MS });
    await house.drain();
    await api.putUserSubscriptions({
      path: { id: "ada" },
      body: { choices: [{ topic: "news", channel: "push", wants: "out" }] },
    });
    house.advance(60 * SECOND_MS);
    await house.drain();
    await soon();
    assert.ok(!apns.taken.some(({ token }) => token === device.token));
    assert.deepEqual(await stateOf(project, id, "recipients"), ["waiting", "not_subscribed"]);
  });
});
