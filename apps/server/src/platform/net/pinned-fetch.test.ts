import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { pinnedFetch } from "./pinned-fetch.ts";

const server = createServer(async (request, answer) => {
  if (request.url === "/moved") answer.writeHead(302, { location: "/" }).end();
  else if (request.url === "/other")
    request.socket.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
  else if (request.url === "/nothing") answer.writeHead(204).end();
  else if (request.url === "/silence") return;
  else if (request.url === "/much") answer.end(Buffer.alloc(1_024 * 1_024 + 1));
  else {
    const { method, headers } = request;
    answer.writeHead(200, { "retry-after": "3" });
    answer.end(
      JSON.stringify({ method, host: headers.host, key: headers.authorization, body: await text(request) }),
    );
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const { port } = server.address() as AddressInfo;
const urlOf = (path: string): string => `http://model.example:${port}${path}`;
const fetchHere = pinnedFetch(async () => [{ address: "127.0.0.1", family: 4 }]);

describe("a pinned fetch", () => {
  it("goes to the address that was found, and speaks to the host that was named", async () => {
    const init = { method: "POST", headers: { authorization: "Bearer x" }, body: "{}" };
    const answer = await fetchHere(urlOf("/"), init);
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [200, "3"]);
    const request = { method: "POST", host: `model.example:${port}`, key: "Bearer x", body: "{}" };
    assert.deepEqual(await answer.json(), request);
    assert.equal((await fetchHere(urlOf("/nothing"))).status, 204);
  });

  it("follows no redirect", async () => {
    const fault = await fetchHere(urlOf("/moved"), { redirect: "error" }).catch((cause: Error) => cause);
    assert.ok(fault instanceof TypeError && String((fault.cause as Error).message).includes("redirect"));
  });

  it("ends where the server would speak something else", async () => {
    await assert.rejects(fetchHere(urlOf("/other")), TypeError);
  });

  it("reads a mebibyte at most", async () => {
    await assert.rejects(fetchHere(urlOf("/much")), TypeError);
  });

  it("connects to nothing where no address may be reached", async () => {
    const nowhere = pinnedFetch(() => Promise.reject(new Error("no")));
    const before = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await assert.rejects(nowhere(urlOf("/")), /^Error: no$/);
    const then = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    assert.equal(then, before);
  });

  it("ends with its signal", async () => {
    const ended = new AbortController();
    const waiting = fetchHere(urlOf("/silence"), { signal: ended.signal });
    await once(server, "request");
    ended.abort();
    await assert.rejects(waiting, { name: "AbortError" });
  });
});
