import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "node:test";
import { testHouse } from "../../../test/harness.ts";

const house = testHouse();

it("closing does not wait for a connection that a browser has opened in advance", async () => {
  const socket = connect(Number(new URL(house.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  // Answered after the other connection was taken in.
  assert.equal((await fetch(`${house.url}/healthz`)).status, 200);
  const closed = once(socket, "close");
  await house.tidings.server.close();
  await closed;
});
