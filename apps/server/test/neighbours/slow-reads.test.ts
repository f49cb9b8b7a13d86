import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type pg from "pg";
import { isStopped } from "../../src/platform/db/db.ts";
import { defaultLimits } from "../../src/platform/limits.ts";
import { launchCampaign } from "../factories.ts";
import { refusal, type TestHouse, testHouse } from "../harness.ts";
import { post } from "../mcp.ts";
import { countWaiting, untilWaiting } from "../waiting.ts";

/** Takes every connection of a pool while something is done. */
async function whileTaken<T>(pool: pg.Pool, act: () => Promise<T>): Promise<T> {
  const connections = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    return await act();
  } finally {
    for (const client of connections) client.release();
  }
}

/** Locks `users` while something is done: whatever reads them is as slow as that. */
async function whileUsersAreLocked<T>({ database }: TestHouse, act: () => Promise<T>): Promise<T> {
  const client = await database.background.pool.connect();
  try {
    await client.query("begin");
    await client.query("lock table users in access exclusive mode");
    return await act();
  } finally {
    await client.query("rollback");
    client.release();
  }
}

describe("slow reads that have every connection of requests", () => {
  const house = testHouse();

  it("hold up neither the SDK of anybody nor readiness, also when keys and configurations have to be read again", async () => {
    const project = await house.project();
    await project.sdk.track({ body: { userId: "ada", event: "opened" } });
    await project.sdk.getMessages({ query: { userId: "ada" } });
    const { goal } = await project.api.createGoal({ body: { name: "Buy", targetEvent: "bought" } });
    await launchCampaign(project, { goalId: goal.id });
    house.advance(6_000);
    await whileTaken(house.database.pool, async () => {
      await project.sdk.track({ body: { userId: "ada", event: "bought" } });
      const { messages } = await project.sdk.getMessages({ query: { userId: "ada" } });
      assert.equal(messages.length, 1);
      assert.equal((await fetch(`${house.url}/readyz`)).status, 200);
    });
  });
});

describe("expensive reads", () => {
  const limits = { ...defaultLimits, heavyReadWaitMs: 50 };
  const house = testHouse({ limits });

  it("are one of a project at once, and the next is told to come back", async () => {
    const [project, neighbour] = [await house.project(), await house.project()];
    const pending = await whileUsersAreLocked(house, async () => {
      const first = project.api.listUsers({});
      await untilWaiting(house, 1);
      const { status, error, headers } = await refusal(project.api.listUsers({}));
      assert.deepEqual([status, headers.get("retry-after")], [503, "1"]);
      assert.match(error, /at most 1 at once/);
      const beside = neighbour.api.listUsers({});
      await untilWaiting(house, 2);
      return [first, beside];
    });
    for (const answer of await Promise.all(pending)) assert.deepEqual(answer.users, []);
    assert.deepEqual((await project.api.listUsers({})).users, []);
  });

  it("have half of the connections of a process, so that everything else finds one", async () => {
    const most = Math.floor((house.database.pool.options.max ?? 0) / 2);
    const projects = await Promise.all(Array.from({ length: most + 1 }, () => house.project()));
    const [last, ...others] = projects;
    assert.ok(last !== undefined);
    const pending = await whileUsersAreLocked(house, async () => {
      const first = others.map(({ api }) => api.listUsers({}));
      await untilWaiting(house, most);
      assert.equal((await refusal(last.api.listUsers({}))).status, 503);
      assert.deepEqual((await last.api.listGoals({})).goals, []);
      return first;
    });
    await Promise.all(pending);
  });

  it("are stopped when the model that called them as tools is gone", async () => {
    const project = await house.project();
    const params = { name: "list_users", arguments: {} };
    const call = (signal: AbortSignal | null = null) =>
      post(
        project,
        "/mcp",
        project.secretKey,
        { jsonrpc: "2.0", id: 1, method: "tools/call", params },
        {},
        signal,
      );
    await whileUsersAreLocked(house, async () => {
      for (let times = 0; times < 3; times++) {
        const leaving = new AbortController();
        const left = call(leaving.signal);
        await untilWaiting(house, 1);
        leaving.abort();
        await assert.rejects(left, { name: "AbortError" });
        for (let tries = 0; (await countWaiting(house)) > 0; tries++)
          assert.ok(tries < 5_000, "its statement is stopped");
      }
    });
    assert.match(await (await call()).text(), /"text":"{\\"users\\":\[\]/);
  });

  it("are stopped when their client is gone", async () => {
    const { secretKey } = await house.project();
    await whileUsersAreLocked(house, async () => {
      for (let times = 0; times < 5; times++) {
        const client = new AbortController();
        const pending = fetch(`${house.url}/api/v1/users`, {
          headers: { authorization: `Bearer ${secretKey}` },
          signal: client.signal,
        });
        const ended = pending.then(
          () => "answered",
          () => "gone",
        );
        await untilWaiting(house, 1);
        client.abort();
        assert.equal(await ended, "gone");
        for (let tries = 0; (await countWaiting(house)) > 0; tries++)
          assert.ok(tries < 5_000, "its statement is stopped");
      }
    });
  });
});

describe("statements of requests", () => {
  const house = testHouse({ limits: { ...defaultLimits, requestStatementMs: 500, hotStatementMs: 500 } });

  it("end after their time, with an answer that says what to do", async () => {
    const project = await house.project();
    await whileUsersAreLocked(house, async () => {
      const { status, error, headers } = await refusal(project.api.listUsers({}));
      assert.deepEqual([status, headers.get("retry-after")], [503, "10"]);
      assert.match(error, /took the database too long, and was stopped: ask for less/);
    });
    await assert.rejects(house.database.hotPool.query("select pg_sleep(60)"), isStopped);
  });

  it("but those of jobs, sending and the doctor take as long as they need", async () => {
    const { pool, background } = house.database;
    await assert.rejects(pool.query("select pg_sleep(60)"), isStopped);
    await background.pool.query("select pg_sleep(0.6)");
  });
});
