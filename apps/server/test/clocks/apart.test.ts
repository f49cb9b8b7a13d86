import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pushChannel } from "../../src/features/push/sending/send/channel.ts";
import { drainLoops } from "../../src/platform/loops/loops.ts";
import { processes } from "../../src/platform/loops/processes.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { type App, appBeside } from "../../src/platform/runtime.ts";
import { DAY_MS, SECOND_MS } from "../../src/platform/time/clock.ts";
import { inspect, launchPush, pushHouse, reachable, stateOf } from "../push.ts";

// With a databaseUrl, so that no process takes itself for the only one on its database.
const { house, apns, sendingProject } = await pushHouse({ databaseUrl: "postgres://elsewhere" });

/** The second process, whose clock is a day ahead. */
async function aDayAhead(): Promise<App> {
  const { app } = await house.second();
  const parts = { config: app.config, database: app.database, metrics: createMetrics() };
  return appBeside(app, { ...parts, clock: () => house.now() + DAY_MS }, []);
}

describe("a push that its provider has not answered yet", () => {
  const others: Readonly<Record<string, (look: (app: App) => Promise<void>) => Promise<void>>> = {
    async "while another process has a clock that is a day ahead"(look) {
      await look(await aDayAhead());
    },
    async "while the clock is set forward by a day"(look) {
      house.advance(DAY_MS);
      await look(house.tidings.app);
    },
    async "while the clock is set back by a day"(look) {
      house.advance(-DAY_MS);
      await look(house.tidings.app);
    },
  };
  for (const [when, happens] of Object.entries(others))
    it(`is not given up, and arrives once: ${when}`, async () => {
      const own = house.tidings.app.get(processes);
      await own.startWorking();
      const project = await sendingProject();
      const { token } = await reachable(project, "ada");
      const { id } = await launchPush(project);
      const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<null>()];
      apns.behave((push) => {
        if (push.token !== token) return null;
        arrived.resolve();
        return answer.promise;
      });
      const sending = house.drain();
      try {
        await arrived.promise;
        await happens((app) => drainLoops(app, [pushChannel.reapLoop]));
        assert.deepEqual(await stateOf(project, id, "slots"), ["reserved", null]);
      } finally {
        answer.resolve(null);
        await sending;
        await own.leave();
      }
      for (let round = 0; round < 2; round++) {
        house.advance(60 * SECOND_MS);
        await house.drain();
      }
      assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
      assert.equal(apns.requests.filter((push) => push.token === token).length, 1);
      assert.equal((await inspect(project, id)).slots[0]?.uncertain, false);
    });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
