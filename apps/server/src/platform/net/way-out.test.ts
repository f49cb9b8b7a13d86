import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type LookupFunction, type Server, Socket } from "node:net";
import { after, describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { generate } from "selfsigned";
import { startDnsServer } from "../../../test/peers/dns-server.ts";
import { openWayOut } from "./way-out.ts";

const KEPT = 512;
const DEADLINE_MS = 400;
/** An address of the public internet, which no test connects to. */
const PUBLIC = "93.184.216.34";

async function listening<S extends Server>(server: S): Promise<S> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A server on loopback that does something with each connection, and the connections that it got. */
async function peer(serve: (socket: Socket) => void): Promise<{ port: number; connections: Socket[] }> {
  const connections: Socket[] = [];
  const server = await listening(
    createServer((socket) => {
      connections.push(socket);
      socket.on("error", () => undefined);
      serve(socket);
    }),
  );
  after(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { port: portOf(server), connections };
}

const closed = (socket: Socket | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (socket === undefined || socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });

/** A server that sends the same bytes once a request has begun. */
const answering = (bytes: string | Buffer, isLast = true) =>
  peer((socket) => socket.once("data", () => (isLast ? socket.end(bytes) : socket.write(bytes))));

const http = (status: string, headers: readonly string[] = [], body = ""): string =>
  [`HTTP/1.1 ${status}`, ...headers, "", body].join("\r\n");

const dns = await startDnsServer();
after(() => dns.close());

const terms = { dnsServer: dns.address, deadlineMs: DEADLINE_MS, keptBytes: KEPT };
const strict = openWayOut({ ...terms, allowPrivate: false });
const open = openWayOut({ ...terms, allowPrivate: true });
const MESSAGE = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"a":"ä"}',
} as const;

const faultOf = async (url: string, way = open): Promise<string> => {
  const reply = await way.send(new URL(url), MESSAGE);
  assert.equal(reply.status, null, `${url} answers nothing that counts`);
  return reply.status === null ? reply.fault : "";
};

const replyOf = async (port: number) => {
  const reply = await open.send(new URL(`http://127.0.0.1:${port}/hook`), MESSAGE);
  assert.ok(reply.status !== null, reply.status === null ? reply.fault : "");
  return { status: reply.status, body: reply.body.toString("latin1") };
};

describe("the way out to addresses that customers choose", () => {
  it("never reaches this machine or its network, however that is spelled", async () => {
    const { port, connections } = await peer((socket) => socket.end(http("200 OK")));
    dns.zone.set("inner.example.com", { addresses: ["10.0.0.5"] });
    dns.zone.set("loop.example.com", { addresses: ["127.0.0.1"] });
    dns.zone.set("loop6.example.com", { addresses: ["0:0:0:0:0:0:0:1"] });
    dns.zone.set("mapped.example.com", { addresses: ["0:0:0:0:0:ffff:7f00:1"] });
    dns.zone.set("both.example.com", { addresses: [PUBLIC, "127.0.0.1"] });
    dns.zone.set("lost.example.com", "broken");
    const hosts = [
      ["127.0.0.1", "127.1", "0x7f.1", "0177.1", "2130706433", "127.0.0.1.", "0", "0.0.0.0", "１２７.0.0.1"],
      ["10.0.0.5", "192.168.1.1", "172.16.0.1", "100.64.0.1", "169.254.169.254", "[fe80::1]", "[fd00::1]"],
      ["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.5]", "[::ffff:a00:5]", "[64:ff9b::7f00:1]"],
      ["localhost", "LOCALHOST", "localhost.", "a.localhost", "metadata.google.internal", "db", "nas.local"],
      [
        "inner.example.com",
        "loop.example.com",
        "loop.example.com.",
        "loop6.example.com",
        "mapped.example.com",
      ],
      ["both.example.com", "lost.example.com", "nowhere.example.com"],
    ].flat();
    for (const host of hosts) {
      const fault = await faultOf(`https://${host}:${port}/`, strict);
      assert.match(fault, /leads to this server|There is no host|DNS did not say/, host);
    }
    assert.equal(connections.length, 0);
  });

  it("sends nothing that others on the way could read", async () => {
    assert.match(await faultOf(`http://${PUBLIC}/`, strict), /not https/);
    assert.match(await faultOf("ftp://example.com/"), /no web address/);
  });

  it("connects to the address that it has looked at, whatever DNS says next", async (t: TestContext) => {
    const name = "moving.example.com";
    const tried: unknown[] = [];
    // No connection is made: what would be connected to is written down, as the socket itself finds it.
    t.mock.method(Socket.prototype, "connect", function (this: Socket, given: unknown) {
      const [options] = [given].flat() as { host: string; lookup: LookupFunction }[];
      if (options === undefined) throw new Error("Nothing says where to.");
      options.lookup(options.host, { all: true }, (fault, found) => {
        tried.push(fault === null ? found : fault.message);
        this.destroy(fault ?? new Error("This far, and no further."));
      });
      return this;
    });
    dns.zone.set(name, { addresses: [PUBLIC] });
    const before = dns.queries.length;
    assert.match(await faultOf(`https://${name}/`, strict), /This far/);
    assert.deepEqual(tried, [[{ address: PUBLIC, family: 4 }]]);
    assert.equal(dns.queries.length - before, 2, "one question for each kind of address, and none after it");
    dns.zone.set(name, { addresses: ["127.0.0.1"] });
    assert.match(await faultOf(`https://${name}/`, strict), /leads to this server/);
  });

  it("follows no redirect", async () => {
    const { port, connections } = await peer((socket) => socket.end(http("200 OK")));
    for (const location of ["http://169.254.169.254/latest", `http://127.0.0.1:${port}/`, "//localhost/"])
      for (const status of ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]) {
        const from = await answering(http(status, [`location: ${location}`, "content-length: 0"]));
        assert.equal(String((await replyOf(from.port)).status), status.slice(0, 3));
        assert.equal(from.connections.length, 1);
      }
    assert.equal(connections.length, 0);
  });

  it("sends the bytes of the body, and how many there are", async () => {
    let got = "";
    const { port } = await peer((socket) =>
      socket.on("data", (part) => {
        got += part.toString("utf8");
        if (got.endsWith(MESSAGE.body)) socket.end(http("204 No Content"));
      }),
    );
    assert.equal((await replyOf(port)).status, 204);
    assert.match(got, /^POST \/hook HTTP\/1\.1\r\n/);
    assert.match(got, /\r\ncontent-length: 10\r\n/i);
  });

  it("waits for nobody longer than it was told", async () => {
    const neverAnswers = await peer((socket) => socket.resume());
    const dripping = await peer((socket) => {
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n"));
      const drip = setInterval(() => socket.write("x: y\r\n"), DEADLINE_MS / 8);
      socket.on("close", () => clearInterval(drip));
    });
    const headersAlone = await answering(http("200 OK", ["content-length: 5"]), false);
    const goesOn = await answering(`${http("102 Processing")}${http("103 Early Hints")}`, false);
    for (const { port } of [neverAnswers, dripping, headersAlone, goesOn]) {
      const begun = performance.now();
      assert.match(await faultOf(`http://127.0.0.1:${port}/`), /did not answer in time/);
      assert.ok(performance.now() - begun < 10 * DEADLINE_MS);
    }
    // No connection of these is left to be used again.
    for (const { connections } of [neverAnswers, dripping, headersAlone, goesOn])
      await closed(connections[0]);
  });

  it("keeps the beginning of a long answer, and hangs up", async () => {
    let written = 0;
    const { port, connections } = await peer((socket) =>
      socket.once("data", () => {
        socket.write(http("500 Sorry"));
        const more = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "x"))) written += 65_536;
          if (!socket.destroyed) socket.once("drain", more);
        };
        more();
      }),
    );
    assert.deepEqual(await replyOf(port), { status: 500, body: "x".repeat(KEPT) });
    await closed(connections[0]);
    assert.ok(written < 64 * 1_048_576);
  });

  it("takes bytes of any kind as they are", async () => {
    const packed = gzipSync("taken");
    const head = Buffer.from(http("200 OK", ["content-encoding: gzip", `content-length: ${packed.length}`]));
    const { port } = await answering(Buffer.concat([head, packed]));
    assert.deepEqual(await replyOf(port), { status: 200, body: packed.toString("latin1") });
  });

  it("says in words what is no answer", async () => {
    const closes = await peer((socket) => socket.destroy());
    const ends = await peer((socket) => socket.once("data", () => socket.end()));
    const half = await answering(http("200 OK", ["content-length: 50"], "half"));
    for (const { port } of [closes, ends, half])
      assert.match(await faultOf(`http://127.0.0.1:${port}/`), /closed before an answer came/);
    const broken = [
      "hello\r\n\r\n",
      "HTTP/1.1 abc\r\n\r\n",
      `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(20_000)}`,
    ];
    for (const bytes of broken) {
      const { port } = await answering(bytes);
      assert.match(await faultOf(`http://127.0.0.1:${port}/`), /\S/);
    }
    const closing = await listening(createServer());
    const port = portOf(closing);
    closing.close();
    await once(closing, "close");
    assert.match(await faultOf(`http://127.0.0.1:${port}/`), /No server takes connections/);
  });

  it("takes an offer to speak something else for an answer, and hangs up", async () => {
    const { port, connections } = await answering(
      http("101 Switching Protocols", ["upgrade: x", "connection: upgrade"]),
      false,
    );
    assert.deepEqual(await replyOf(port), { status: 101, body: "" });
    await closed(connections[0]);
  });

  it("tries once more where a connection that was kept is closed just now, and once only", async () => {
    // The first request of a connection is answered; the second one finds it closed.
    const requestsOf: number[] = [];
    const { port } = await peer((socket) => {
      const which = requestsOf.push(0) - 1;
      socket.on("data", () => {
        requestsOf[which] = (requestsOf[which] ?? 0) + 1;
        if (requestsOf[which] === 1) socket.write(http("200 OK", ["content-length: 0"]));
        else socket.destroy();
      });
    });
    assert.equal((await replyOf(port)).status, 200);
    assert.equal((await replyOf(port)).status, 200);
    assert.deepEqual(requestsOf, [2, 1]);

    let requests = 0;
    const closing = await peer((socket) =>
      socket.on("data", () => {
        requests++;
        if (requests === 1) socket.write(http("200 OK", ["content-length: 0"]));
        else socket.destroy();
      }),
    );
    assert.equal((await replyOf(closing.port)).status, 200);
    assert.match(await faultOf(`http://127.0.0.1:${closing.port}/hook`), /closed before an answer came/);
    assert.equal(requests, 3);
  });

  it("believes no certificate that vouches for itself", async () => {
    const made = await generate([{ name: "commonName", value: "127.0.0.1" }], {
      keySize: 2048,
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    });
    let requests = 0;
    const server = await listening(
      createTlsServer({ cert: made.cert, key: made.private }, (_request, answer) => {
        requests++;
        answer.end();
      }),
    );
    after(() => server.close());
    assert.match(await faultOf(`https://127.0.0.1:${portOf(server)}/`), /certificate/);
    assert.equal(requests, 0);
  });
});

describe("a client that may reach this machine", () => {
  it("asks the DNS server of the configuration, and the system for names of this machine", async () => {
    const { port } = await peer((socket) =>
      socket.once("data", () => socket.end(http("200 OK", ["content-length: 2"], "ok"))),
    );
    dns.zone.set("loop.example.com", { addresses: ["127.0.0.1"] });
    for (const host of ["loop.example.com", "localhost", "127.0.0.1"]) {
      const reply = await open.send(new URL(`http://${host}:${port}/hook`), MESSAGE);
      assert.equal(reply.status, 200, host);
    }
    const nowhere = await open.send(new URL(`http://none.example.com:${port}/hook`), MESSAGE);
    assert.deepEqual(nowhere, {
      status: null,
      fault: "There is no such host.",
      failure: "connection",
      hasLeft: false,
    });
  });
});
