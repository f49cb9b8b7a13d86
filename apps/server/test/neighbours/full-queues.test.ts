import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultLimits } from "../../src/platform/limits.ts";
import { refusal, testHouse } from "../harness.ts";
import { untilWaiting } from "../waiting.ts";

describe("queues that are full", () => {
  const house = testHouse({ limits: { ...defaultLimits, waitingRows: 5, waitingForConnection: 3 } });

  it("of a group commit: what comes then is refused at once, what waits is written", async () => {
    const project = await house.project();
    const track = (n: number) =>
      project.sdk.track({ body: { userId: `user ${n}`, event: "opened", eventId: `e${n}` } });
    await track(0);
    const client = await house.database.background.pool.connect();
    const sent: Promise<unknown>[] = [];
    try {
      await client.query("begin");
      await client.query("lock table users in access exclusive mode");
      sent.push(track(1));
      await untilWaiting(house, 1);
      // Two pipelines at most: whatever is in no statement waits in the queues.
      const answers = Array.from({ length: 40 }, (_, n) => refusal(track(n + 2)).catch(() => null));
      const refused = await Promise.race(answers);
      assert.deepEqual([refused?.status, refused?.headers.get("retry-after")], [503, "1"]);
      assert.match(String(refused?.error), /more to do than it can right now/);
      const metrics = await (await fetch(`${house.url}/metrics`)).text();
      assert.match(metrics, /^tidings_queue_length\{queue="events"\} [1-9]/m);
      assert.match(metrics, /^tidings_queue_length\{queue="connections of requests"\} 0$/m);
      sent.push(...answers);
    } finally {
      await client.query("rollback");
      client.release();
    }
    const answers = await Promise.all(sent);
    const taken = answers.filter((answer) => answer === null).length;
    assert.ok(taken > 0 && taken < 40, `${taken} were taken`);
    const { users } = await project.api.listUsers({ query: { perPage: 100 } });
    assert.equal(users.length, taken + 2);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("of a pool: one more than may wait is refused at once", async () => {
    const project = await house.project();
    const { pool } = house.database;
    const connections = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const waiting = [1, 2, 3].map(() => project.api.listGoals({}));
    try {
      for (let tries = 0; pool.waitingCount < 3; tries++) {
        assert.ok(tries < 100_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { status, headers } = await refusal(project.api.listGoals({}));
      assert.deepEqual([status, headers.get("retry-after")], [503, "1"]);
    } finally {
      for (const client of connections) client.release();
    }
    for (const { goals } of await Promise.all(waiting)) assert.deepEqual(goals, []);
  });
});
