import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { testHouse } from "../../../test/harness.ts";
import { TIMEOUTS } from "./connections.ts";
import { endpoint } from "./contract/endpoint.ts";
import { createServer } from "./server.ts";

const house = testHouse();
const LIMIT = 1_000;
const LARGE = 16_000_000;
const SHORT = { headMs: 3_000, requestMs: 5_000, idleMs: 4_000, stalledMs: 6_000, checkMs: 50 };
/** How much later than planned something may happen on a slow computer. */
const SLACK_MS = 10_000;

const common = { tag: "Test", summary: "For a test", keys: ["secret"], budget: "goals" } as const;
const write = endpoint(
  {
    ...common,
    id: "write",
    method: "POST",
    path: "/write",
    isRead: true,
    bodyLimit: LIMIT,
    body: z.object({ text: z.string() }),
    result: z.object({ length: z.int() }),
  },
  async (_ctx, { body }) => ({ length: body.text.length }),
);
const read = endpoint(
  {
    ...common,
    id: "read",
    method: "GET",
    path: "/read",
    query: z.object({ size: z.coerce.number() }),
    result: z.object({ text: z.string() }),
  },
  async (_ctx, { query }) => ({ text: "x".repeat(query.size) }),
);

/** Connections as the server sees them. */
const open = new Set<Socket>();
let close: (() => Promise<void>) | undefined;

async function start(): Promise<{ port: number; host: string }> {
  const server = createServer({
    app: house.tidings.app,
    endpoints: [write, read],
    authenticate: () => ({ projectId: "019b0000-0000-7000-8000-000000000000", keyKind: "secret" }),
    recognise: async () => null,
    timeouts: SHORT,
  });
  close = () => server.close();
  server.server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  const { hostname, port } = new URL(await server.listen({ port: 0, host: "127.0.0.1" }));
  return { port: Number(port), host: hostname };
}
let address: ReturnType<typeof start> | undefined;
after(() => close?.());

const KEY = "authorization: Bearer pk_any\r\n";
const head = (line: string, ...headers: string[]): string =>
  `${line} HTTP/1.1\r\nhost: x\r\n${KEY}${headers.map((header) => `${header}\r\n`).join("")}`;
const JSON_TYPE = "content-type: application/json";

type Conversation = { socket: Socket; begun: number; received(): string; ended: Promise<number> };

const untilClosed = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.once("close", resolve));

/** Opens a connection; collects what it receives, and after how many milliseconds it ended. */
async function converse(): Promise<Conversation> {
  address ??= start();
  const socket = connect(await address);
  const begun = performance.now();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A connection that the server cuts off while this side writes fails with an error.
  socket.on("error", () => undefined);
  const ended = untilClosed(socket).then(() => performance.now() - begun);
  await once(socket, "connect");
  return { socket, begun, received: () => Buffer.concat(chunks).toString("latin1"), ended };
}

/** Sends bytes and answers what comes back until the connection ends. */
async function exchange(...parts: readonly (string | Buffer)[]): Promise<string> {
  const { socket, received, ended } = await converse();
  for (const part of parts) socket.write(part);
  await ended;
  return received();
}

/** Status and error of the last answer, which has the headers of every answer. */
function refusalIn(answer: string): [number, string] {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  for (const name of ["x-request-id", "x-api-version", "x-content-type-options", "cache-control"])
    assert.match(answer, new RegExp(`\\r\\n${name}: \\S`, "i"), `${name} in ${answer}`);
  assert.doesNotMatch(answer, /\r\n(server|x-powered-by):/i);
  const { error } = z
    .strictObject({ error: z.string() })
    .parse(JSON.parse(answer.split("\r\n\r\n")[1] ?? ""));
  return [status, error];
}

const padded = (size: number): string => JSON.stringify({ text: "x" }).padEnd(size);
const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

describe("a body", () => {
  const CLOSE = "connection: close";
  const post = (...headers: string[]): string => head("POST /write", JSON_TYPE, CLOSE, ...headers);
  const TOO_LARGE: [number, string] = [413, `Request body too large: at most ${LIMIT} bytes`];

  it("of exactly the limit is read, with and without its length", async () => {
    const lengthy = await exchange(`${post(`content-length: ${LIMIT}`)}\r\n${padded(LIMIT)}`);
    const inChunks = await exchange(`${post("transfer-encoding: chunked")}\r\n${chunked(padded(LIMIT))}`);
    for (const answer of [lengthy, inChunks]) assert.match(answer, /^HTTP\/1\.1 200 .*\{"length":1\}$/s);
  });
  it("of one byte more is refused", async () => {
    const size = LIMIT + 1;
    assert.deepEqual(
      refusalIn(await exchange(`${post(`content-length: ${size}`)}\r\n${padded(size)}`)),
      TOO_LARGE,
    );
    const inChunks = `${post("transfer-encoding: chunked")}\r\n${chunked(padded(size))}`;
    assert.deepEqual(refusalIn(await exchange(inChunks)), TOO_LARGE);
  });
  it("that claims to be too large is refused before it comes", async () => {
    assert.deepEqual(refusalIn(await exchange(`${post("content-length: 99999999999")}\r\n`)), TOO_LARGE);
  });
  it("that is longer than it says is one request, and what follows is none", async () => {
    const body = '{"text":"a"}';
    const start = head("POST /write", JSON_TYPE, `content-length: ${body.length}`);
    const answers = (await exchange(`${start}\r\n${body}{"text":"b"}`)).split(/(?=HTTP\/1\.1 )/);
    assert.deepEqual(refusalIn(answers.pop() ?? ""), [400, "This is not a request of HTTP."]);
    assert.ok(answers.length <= 1);
  });
  it("that is compressed is refused in words", async () => {
    const body = gzipSync(padded(100));
    for (const encoding of ["gzip", "br", "deflate", "x"]) {
      const start = post(`content-length: ${body.length}`, `content-encoding: ${encoding}`);
      assert.deepEqual(refusalIn(await exchange(`${start}\r\n`, body)), [
        400,
        "Content-Encoding must not be given: bodies are read as they are",
      ]);
    }
    const plain = post("content-length: 20", "content-encoding: identity");
    assert.match(await exchange(`${plain}\r\n${padded(20)}`), /^HTTP\/1\.1 200 /);
  });
});

describe("a head", () => {
  const TOO_LONG: [number, string] = [431, "The address and headers of a request must be at most 16 KiB."];
  const NOT_HTTP: [number, string] = [400, "This is not a request of HTTP."];
  const NO_HOST: [number, string] = [400, "Host must be given once."];
  const NOT_CHUNKED: [number, string] = [400, "Transfer-Encoding must be chunked, and nothing else."];
  const cases: [string, string, [number, string]][] = [
    ["an address of 20 KiB", `${head(`GET /read?size=1&x=${"x".repeat(20_480)}`)}\r\n`, TOO_LONG],
    ["a header of 20 KiB", `${head("GET /read?size=1", `x: ${"x".repeat(20_480)}`)}\r\n`, TOO_LONG],
    [
      "5,000 headers",
      `${head("GET /read?size=1", ...Array.from({ length: 5_000 }, (_, index) => `x${index}: y`))}\r\n`,
      TOO_LONG,
    ],
    [
      "a length and chunks",
      `${head("POST /write", JSON_TYPE, "content-length: 5", "transfer-encoding: chunked")}\r\n0\r\n\r\nGET /read?size=1 HTTP/1.1\r\nhost: x\r\n\r\n`,
      NOT_HTTP,
    ],
    [
      "chunks and a length",
      `${head("POST /write", JSON_TYPE, "transfer-encoding: chunked", "content-length: 5")}\r\n0\r\n\r\n`,
      NOT_HTTP,
    ],
    [
      "two lengths",
      `${head("POST /write", JSON_TYPE, "content-length: 5", "content-length: 6")}\r\nabcdef`,
      NOT_HTTP,
    ],
    [
      "chunks that are not the last coding",
      `${head("POST /write", JSON_TYPE, "transfer-encoding: chunked, gzip")}\r\n0\r\n\r\n`,
      NOT_HTTP,
    ],
    ["a length that is none", `${head("POST /write", JSON_TYPE, "content-length: +5")}\r\nabcde`, NOT_HTTP],
    ["a folded header", `${head("GET /read?size=1", "x: a\r\n b")}\r\n`, NOT_HTTP],
    ["a space before a colon", `${head("GET /read?size=1", "content-length : 5")}\r\n`, NOT_HTTP],
    ["NUL in a header", `${head("GET /read?size=1", "x: a\0b")}\r\n`, NOT_HTTP],
    ["no host", `GET /read?size=1 HTTP/1.1\r\n${KEY}\r\n`, NO_HOST],
    [
      "no host and a body",
      `POST /write HTTP/1.1\r\n${KEY}${JSON_TYPE}\r\ncontent-length: 2\r\n\r\n{}`,
      NO_HOST,
    ],
    ["two hosts", `${head("GET /read?size=1", "Host: y")}\r\n`, NO_HOST],
    ["the same host twice", `${head("GET /read?size=1", "host: x")}\r\n`, NO_HOST],
    [
      "a coding before chunks",
      `${head("POST /write", JSON_TYPE, "transfer-encoding: identity, chunked")}\r\n0\r\n\r\n`,
      NOT_CHUNKED,
    ],
    [
      "chunks of chunks",
      `${head("POST /write", JSON_TYPE, "transfer-encoding: chunked", "transfer-encoding: chunked")}\r\n0\r\n\r\n`,
      NOT_HTTP,
    ],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc", NOT_HTTP],
  ];
  it("of HTTP/1.0 needs no host", async () => {
    assert.match(await exchange(`GET /read?size=1 HTTP/1.0\r\n${KEY}\r\n`), /^HTTP\/1\.1 200 /);
  });
  for (const [name, text, expected] of cases) {
    it(`with ${name} is refused, and the connection ended`, async () => {
      const answer = await exchange(Buffer.from(text, "latin1"));
      assert.equal(answer.split("HTTP/1.1 ").length, 2, `one answer: ${answer}`);
      assert.deepEqual(refusalIn(answer), expected);
    });
  }
});

describe("a slow client", () => {
  /** Sends a byte now and then until the connection ends. */
  function drip({ socket, ended }: Conversation, text: string): void {
    const timer = setInterval(() => socket.write(text), 40);
    void ended.then(() => clearInterval(timer));
  }
  const assertWithin = (tookMs: number, ms: number): void =>
    assert.ok(tookMs >= ms * 0.9 && tookMs < ms + SLACK_MS, `${tookMs} ms instead of ${ms}`);

  it("is given more time in a server that nobody tests", () => {
    const { headMs, requestMs, idleMs, stalledMs, checkMs } = TIMEOUTS;
    assert.deepEqual(
      [headMs, requestMs, idleMs, stalledMs, checkMs],
      [20_000, 60_000, 72_000, 120_000, 1_000],
    );
  });

  it("is ended within its time, whatever it drips or keeps from reading, while others are answered", async () => {
    const TOO_SLOW: [number, string] = [408, "The request took too long to arrive."];
    const inHead = await converse();
    inHead.socket.write("GET /read?size=1 HTTP/1.1\r\nhost: x\r\nx: ");
    drip(inHead, "x");
    const inBody = await converse();
    inBody.socket.write(`${head("POST /write", JSON_TYPE, "content-length: 900")}\r\n`);
    drip(inBody, "x");
    const unused = await converse();
    const short = await converse();
    short.socket.write(`${head("POST /write", JSON_TYPE, "content-length: 900")}\r\n{"text":`);
    const idle = await converse();
    idle.socket.write(`${head("GET /read?size=1")}\r\n`);
    // A client that never reads: the answer is larger than all buffers in between.
    const deaf = await converse();
    deaf.socket.pause();
    deaf.socket.write(`${head(`GET /read?size=${LARGE}`)}\r\n`);
    // A client that does not read never learns of the end, so the test watches the server's side.
    const serverSide =
      [...open].find(({ remotePort }) => remotePort === deaf.socket.localPort) ?? assert.fail();
    const deafEnded = untilClosed(serverSide).then(() => performance.now() - deaf.begun);

    let answered = 0;
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        const answer = await exchange(`${head("GET /read?size=1", "connection: close")}\r\n`);
        assert.match(answer, /^HTTP\/1\.1 200 /);
        answered++;
      }
    })();
    try {
      assertWithin(await inHead.ended, SHORT.headMs);
      assertWithin(await unused.ended, SHORT.headMs);
      for (const each of [inBody, short]) {
        assertWithin(await each.ended, SHORT.requestMs);
        // A client that still writes may be cut off before it has read the refusal.
        if (each === short || each.received() !== "") assert.deepEqual(refusalIn(each.received()), TOO_SLOW);
      }
      assertWithin(await idle.ended, SHORT.idleMs);
      assert.match(idle.received(), /^HTTP\/1\.1 200 /);
    } finally {
      isOver = true;
      await others;
    }
    assert.ok(answered > 0);
    assertWithin(await deafEnded, SHORT.stalledMs);
    deaf.socket.destroy();
  });
});
