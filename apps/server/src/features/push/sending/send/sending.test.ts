import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestProject } from "../../../../../test/harness.ts";
import { inspect, launchPush, pushHouse, reachable } from "../../../../../test/push.ts";

const { house, apns, fcm, sendingProject } = await pushHouse();

const statsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.stats;

describe("a push campaign", () => {
  it("reaches the device last used of everyone, filled in for each", async () => {
    const project = await sendingProject();
    const ada = await reachable(project, "ada");
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada" } } });
    const ben = await reachable(project, "ben", { platform: "android" });
    await project.sdk.identify({ body: { userId: "nobody" } });
    const { id } = await launchPush(project);
    await house.drain();
    const [toAda] = apns.taken.filter(({ token }) => token === ada.token);
    assert.deepEqual(toAda?.payload.aps.alert, { title: "Hello Ada", body: "Something new for you." });
    assert.equal(toAda?.payload.tidings.installationId, ada.installationId);
    const [toBen] = fcm.taken.filter(({ token }) => token === ben.token);
    assert.equal(toBen?.envelope.content.title, "Hello there");
    const found = await inspect(project, id);
    assert.deepEqual(found.users, { targeted: 2, accepted: 2, engaged: 0, converted: 0 });
    assert.deepEqual(found.devices, {
      targeted: 2,
      attempts: 2,
      accepted: 2,
      receiptObserved: 0,
      receiptUnknown: 2,
      confirmedSubmissions: 2,
      possibleSubmissions: 0,
      preSendBlocks: 0,
      pendingOutcomes: 0,
      waiting: 0,
    });
    assert.deepEqual(found.planning, { waiting: 1, active: 0, closed: 2 });
    const { sent, delivered } = await statsOf(project, id);
    assert.deepEqual({ sent, delivered }, { sent: 2, delivered: 0 });
    const before = apns.requests.length;
    await house.drain();
    assert.equal(apns.requests.length, before);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
