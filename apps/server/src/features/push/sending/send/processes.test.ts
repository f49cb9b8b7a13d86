import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect, launchPush, pushHouse, reachable, stateOf } from "../../../../../test/push.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { HANDOVER_MS } from "../rules.ts";

// With a databaseUrl, so that no process takes itself for the only one on its database.
const { house, apns, sendingProject } = await pushHouse({ databaseUrl: "postgres://elsewhere" });

describe("two processes on one database", () => {
  it("send a push once, though the other looks while the provider has not answered", async () => {
    const project = await sendingProject();
    const device = await reachable(project, "ada");
    const { id } = await launchPush(project);
    const arrived = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<null>();
    apns.behave(({ token }) => {
      if (token !== device.token) return null;
      arrived.resolve();
      return answer.promise;
    });
    const second = await house.second();
    const sending = house.drain();
    try {
      await arrived.promise;
      await second.drain();
      assert.deepEqual(await stateOf(project, id, "slots"), ["reserved", null]);
      // The longest that a push may take: until then no other process gives its lease up.
      house.advance(HANDOVER_MS);
      await second.drain();
    } finally {
      answer.resolve(null);
      await sending;
    }
    for (let round = 0; round < 2; round++) {
      house.advance(60 * SECOND_MS);
      await Promise.all([house.drain(), second.drain()]);
    }
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
    assert.equal(apns.requests.filter(({ token }) => token === device.token).length, 1);
    assert.equal((await inspect(project, id)).slots[0]?.uncertain, false);
    assert.deepEqual(await house.differences(), {});
  });
});
