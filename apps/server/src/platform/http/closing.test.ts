import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";

describe("closing with a connection that a browser has opened", () => {
  const house = testHouse();
  it("does not wait for it", async () => {
    const socket = connect(Number(new URL(house.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    // This answer shows that the server has accepted the other connection too.
    assert.equal((await fetch(`${house.url}/healthz`)).status, 200);
    const closed = once(socket, "close");
    await house.tidings.server.close();
    await closed;
  });
});

describe("closing with a connection that a balancer keeps", () => {
  const house = testHouse();
  it("ends it once its request is answered", async () => {
    const agent = new Agent({ keepAlive: true });
    const { pool } = house.database.lookups;
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    // The request is under way for as long as no connection to the database is free.
    const request = get(`${house.url}/readyz`, { agent });
    const answered = once(request, "response");
    await once(request, "socket");
    while (pool.waitingCount === 0) await new Promise((resolve) => setImmediate(resolve));
    const closing = house.tidings.server.close();
    const [response] = (await answered) as [IncomingMessage];
    assert.equal(response.resume().statusCode, 503);
    await closing;
    for (const client of taken) client.release();
    agent.destroy();
  });
});
