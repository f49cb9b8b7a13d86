import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { after, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fastify } from "fastify";
import { sql } from "kysely";
import { z } from "zod";
import { type TestHouse, testHouse } from "../../../test/harness.ts";
import type { Config } from "../config.ts";
import { defaultLimits } from "../limits.ts";
import type { Authenticate } from "./admission/admit.ts";
import { type Endpoint, endpoint, Replay } from "./contract/endpoint.ts";
import { ApiError, ApprovalRefusal } from "./contract/errors.ts";
import { createServer, goneSignal } from "./server.ts";

const house = testHouse();
const SECRET = "do not tell";
const common = { tag: "Test", summary: "For a test", keys: ["secret"], budget: "goals" } as const;
const Done = z.object({ done: z.literal(true) });
const done = { done: true as const };

const authenticate: Authenticate = (token) =>
  token === "pk_known" ? { projectId: "019b0000-0000-7000-8000-000000000000", keyKind: "secret" } : null;

type Reply = { status: number; headers: Headers; body: unknown };

/** Starts a server of a few operations, which is closed after the tests of its suite. Answers a function that sends requests to it. */
function serverOf(endpoints: readonly Endpoint[], config: Partial<Config> = {}) {
  let url: Promise<string> | undefined;
  let close: (() => Promise<void>) | undefined;
  const start = (from: TestHouse): Promise<string> => {
    const { app } = from.tidings;
    const server = createServer({
      app: { ...app, config: { ...app.config, ...config } },
      endpoints,
      authenticate,
      recognise: async () => null,
      checkAnswers: true,
    });
    close = () => server.close();
    return server.listen({ port: 0, host: "127.0.0.1" });
  };
  after(() => close?.());
  const address = () => (url ??= start(house));
  const ask = async (
    path: string,
    init: RequestInit & { duplex?: "half" } = {},
    key: string | null = "pk_known",
  ): Promise<Reply> => {
    const response = await fetch((await address()) + path, {
      ...init,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...init.headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  };
  return { ask, address };
}

const fails = (id: string, fail: () => unknown): Endpoint =>
  endpoint(
    { ...common, id, method: "GET", path: `/${id}`, result: Done, reasons: ["approval_required"] },
    async () => {
      await fail();
      return done;
    },
  );

describe("a managed-only operation", () => {
  const managed = endpoint(
    { ...common, id: "managed", method: "POST", path: "/managed", managedOnly: true, result: Done },
    async () => done,
  );
  const only = { error: "This operation is available on a managed deployment only." };
  const selfHosted = serverOf([managed]);
  const service = serverOf([managed], { mode: "managed" });
  it("is 501 on a self-hosted server, before anyone is asked who they are", async () => {
    for (const key of ["pk_known", "pk_unknown", null]) {
      const { status, body, headers } = await selfHosted.ask("/managed", { method: "POST" }, key);
      assert.deepEqual([status, body], [501, only]);
      assert.ok(headers.get("x-request-id"));
    }
    const large = { method: "POST", body: "x".repeat(100_000) };
    assert.equal((await selfHosted.ask("/managed", large)).status, 501);
  });
  it("is an operation like any other on a managed one", async () => {
    assert.equal((await service.ask("/managed", { method: "POST" }, null)).status, 401);
    assert.deepEqual((await service.ask("/managed", { method: "POST" })).body, done);
  });
});

describe("an operation that knows its repeats", () => {
  let calls = 0;
  const { ask } = serverOf([
    endpoint(
      { ...common, id: "made", method: "POST", path: "/made", status: 201, replays: true, result: Done },
      async () => (++calls === 1 ? done : new Replay(done)),
    ),
  ]);
  it("answers 201 for what it made, and 200 for what was there", async () => {
    for (const expected of [201, 200, 200]) {
      const { status, body } = await ask("/made", { method: "POST" });
      assert.deepEqual([status, body], [expected, done]);
    }
  });
});

describe("what goes wrong inside", () => {
  let tries = 0;
  const deadlock = sql`do $$ begin raise exception 'met' using errcode = '40P01'; end $$`;
  const { ask } = serverOf([
    fails("thrown", () => {
      throw new Error(SECRET);
    }),
    fails("rejected", () => Promise.reject(SECRET)),
    fails("statement", () => sql`select secret from nowhere`.execute(house.database.kysely)),
    fails("caused", () => {
      throw new ApiError("unavailable", undefined, { cause: new Error(SECRET) });
    }),
    endpoint(
      { ...common, id: "source", method: "GET", path: "/source", refusals: "source", result: Done },
      async () => {
        throw new ApiError("unavailable", "Not now", { fields: { retryAfterMs: 1_500 } });
      },
    ),
    fails("approval", () => {
      throw new ApprovalRefusal("hash");
    }),
    fails("lost", () => sql`select pg_terminate_backend(pg_backend_pid())`.execute(house.database.kysely)),
    endpoint({ ...common, id: "chatty", method: "GET", path: "/chatty", result: Done }, async () => ({
      ...done,
      more: SECRET,
    })),
    endpoint({ ...common, id: "met", method: "POST", path: "/met", result: Done }, async ({ db }) => {
      await sql`create table if not exists met_once (at int)`.execute(db);
      await sql`insert into met_once values (1)`.execute(db);
      if (++tries < 3) await deadlock.execute(db);
      return done;
    }),
    endpoint({ ...common, id: "stuck", method: "POST", path: "/stuck", result: Done }, async ({ db }) => {
      await deadlock.execute(db);
      return done;
    }),
  ]);

  for (const id of ["thrown", "rejected", "statement", "chatty"]) {
    it(`${id}: 500 that tells nothing`, async () => {
      const { status, body, headers } = await ask(`/${id}`);
      assert.deepEqual([status, body], [500, { error: "Internal server error" }]);
      assert.ok(headers.get("x-request-id"));
    });
  }
  it("the cause of a refusal stays inside", async () => {
    const { status, body } = await ask("/caused");
    assert.deepEqual([status, body], [503, { error: "The service is not available right now; try again." }]);
  });
  it("refusals of other shapes are sent as they are", async () => {
    const source = { ok: false, status: 503, error: "Not now", retryAfterMs: 1_500 };
    assert.deepEqual((await ask("/source")).body, source);
    const { status, body } = await ask("/approval");
    assert.equal(status, 403);
    assert.deepEqual(body, new ApprovalRefusal("hash").body());
  });
  it("a lost connection is 503 with Retry-After, and is soon replaced", async () => {
    for (let times = 0; times < 3; times++) {
      const { status, body, headers } = await ask("/lost");
      assert.deepEqual(
        [status, body],
        [503, { error: "The service is not available right now; try again." }],
      );
      assert.equal(headers.get("retry-after"), "1");
    }
    // The pool may hand out a lost connection once more before it notices.
    for (let tries = 1; (await fetch(`${house.url}/readyz`)).status !== 200; tries++) assert.ok(tries < 10);
  });
  it("while its own connections are taken it is not ready, and is told so in time", async () => {
    const { pool } = house.database.lookups;
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    try {
      const from = performance.now();
      const probes = await Promise.all([1, 2, 3].map(() => fetch(`${house.url}/readyz`)));
      assert.deepEqual(
        probes.map(({ status }) => status),
        [503, 503, 503],
      );
      // It takes 1.5 s on an idle computer; without the limit it would take the ten seconds of the pool.
      assert.ok(performance.now() - from < 8_000);
      assert.ok(pool.waitingCount <= 1, "one question waits, however many ask");
      assert.equal((await fetch(`${house.url}/healthz`)).status, 200);
    } finally {
      for (const client of taken) client.release();
    }
    assert.equal((await fetch(`${house.url}/readyz`)).status, 200);
  });

  it("is not ready beside a newer version that has migrated its database, and says so", async () => {
    const { pool } = house.database;
    await pool.query("insert into migrations (name, digest) values ('9999_later.sql', 'of later')");
    const answer = await fetch(`${house.url}/readyz`);
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /The database is of a newer Tidings/);
    await pool.query("delete from migrations where name = '9999_later.sql'");
    assert.equal((await fetch(`${house.url}/readyz`)).status, 200);
  });
  it("a write that meets another is tried again from the start, with one effect", async () => {
    assert.deepEqual((await ask("/met", { method: "POST" })).body, done);
    const { rows } = await house.database.pool.query("select * from met_once");
    assert.deepEqual([tries, rows.length], [3, 1]);
  });
  it("and is given up in the end", async () => {
    const { status, body } = await ask("/stuck", { method: "POST" });
    assert.deepEqual([status, body], [500, { error: "Internal server error" }]);
  });
});

describe("an upload", () => {
  const MAX = 1_000;
  const { ask } = serverOf([
    endpoint(
      {
        ...common,
        id: "upload",
        method: "POST",
        path: "/upload",
        bodyLimit: MAX + 1_000,
        upload: { field: "file", maxBytes: MAX },
        result: z.object({ size: z.int(), type: z.string() }),
      },
      async (_ctx, { file }) => ({ size: file?.bytes.length ?? -1, type: file?.contentType ?? "" }),
    ),
  ]);
  const upload = (body: NonNullable<RequestInit["body"]>, type?: string) =>
    ask("/upload", {
      method: "POST",
      body,
      ...(type === undefined ? {} : { headers: { "content-type": type } }),
    });
  const form = (...parts: [string, string | Blob][]): FormData => {
    const made = new FormData();
    for (const [name, value] of parts) made.append(name, value);
    return made;
  };
  const blob = (size: number) => new Blob(["x".repeat(size)], { type: "image/png" });
  const boundary = "multipart/form-data; boundary=b";
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n';

  it("is read up to its size, and no byte more", async () => {
    for (const size of [0, 1, MAX]) {
      assert.deepEqual((await upload(form(["file", blob(size)]))).body, { size, type: "image/png" });
    }
    for (const size of [MAX + 1, MAX + 900, 100_000]) {
      const { status, body } = await upload(form(["file", blob(size)]));
      assert.deepEqual(
        [status, body],
        [413, { error: `Request body too large: at most ${MAX} bytes of a file` }],
        `${size}`,
      );
    }
  });
  it("is too large by one byte that comes by itself", async () => {
    async function* inPieces() {
      yield Buffer.from(`${part}${"x".repeat(MAX)}`);
      for (const piece of ["x", "\r\n--b--\r\n"]) {
        await setTimeout(50);
        yield Buffer.from(piece);
      }
    }
    const init = { method: "POST", headers: { "content-type": boundary }, duplex: "half" as const };
    const { status, body } = await ask("/upload", { ...init, body: ReadableStream.from(inPieces()) });
    assert.deepEqual(
      [status, body],
      [413, { error: `Request body too large: at most ${MAX} bytes of a file` }],
    );
  });
  it("is the first file, whatever else comes with it", async () => {
    const more = form(["text", "text"], ["file", blob(3)], ["file", blob(5)]);
    assert.deepEqual((await upload(more)).body, { size: 3, type: "image/png" });
  });
  const cases: [string, () => ReturnType<typeof upload>][] = [
    ["another field", () => upload(form(["other", blob(1)]))],
    ["no field", () => upload(form())],
    ["a text", () => upload(form(["file", "text"]))],
    ["another file first", () => upload(form(["other", blob(1)], ["file", blob(1)]))],
    ["JSON", () => upload("{}", "application/json")],
    ["bytes", () => upload("x", "image/png")],
    ["no body", () => ask("/upload", { method: "POST" })],
    ["no boundary", () => upload(`${part}x\r\n--b--\r\n`, "multipart/form-data")],
    ["another boundary", () => upload(`${part}x\r\n--b--\r\n`, `${boundary}c`)],
    ["an end that is missing", () => upload(`${part}x`, boundary)],
    ["an end in the headers", () => upload("--b\r\ncontent-dispo", boundary)],
    ["nothing", () => upload("", boundary)],
  ];
  for (const [name, act] of cases) {
    it(`of ${name} is 400`, async () => {
      const { status, body } = await act();
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(z.record(z.string(), z.string()).parse(body)), ["error"]);
    });
  }
});

describe("what is not a request", () => {
  const { address } = serverOf([fails("fine", () => undefined)]);
  const raw = async (text: string): Promise<string> => {
    const { hostname, port } = new URL(await address());
    const socket = connect(Number(port), hostname);
    socket.write(text);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  const cases: [string, string, number][] = [
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["a method of nobody", "BREW /fine HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["two lengths", "POST /fine HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400],
    [
      "a length and chunks",
      "POST /fine HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["headers without end", `GET /fine HTTP/1.1\r\nhost: x\r\nx: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ];
  for (const [name, text, status] of cases) {
    it(`${name} is ${status} with an error that says so`, async () => {
      const answer = await raw(text);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      const body: unknown = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      assert.ok(z.object({ error: z.string().min(1) }).parse(body));
      assert.doesNotMatch(answer, /at .+:\d+/);
    });
  }
});

describe("the signal of a request", () => {
  const signals: AbortSignal[] = [];
  const gate = new EventEmitter();
  const server = fastify();
  server.get("/answered", async (_request, reply) => {
    signals.push(goneSignal(reply));
    return "here";
  });
  server.get("/waits", async (_request, reply) => {
    const signal = goneSignal(reply);
    const aborted = once(signal, "abort");
    gate.emit("begun");
    await aborted;
    gate.emit("aborted");
    return "too late";
  });
  after(() => server.close());

  it("is aborted when the client leaves before its answer, and not by the answer", async () => {
    const url = await server.listen({ port: 0, host: "127.0.0.1" });
    const closed = once(server.server, "connection").then(([socket]) => once(socket, "close"));
    const answer = await fetch(`${url}/answered`, { headers: { connection: "close" } });
    assert.equal(await answer.text(), "here");
    await closed;
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );

    const [begun, aborted] = [once(gate, "begun"), once(gate, "aborted")];
    const client = new AbortController();
    const waiting = fetch(`${url}/waits`, { signal: client.signal });
    await begun;
    client.abort();
    await assert.rejects(waiting);
    await aborted;
  });
});

describe("large bodies", () => {
  const gate = new EventEmitter();
  const waits = endpoint(
    {
      ...common,
      id: "waits",
      method: "POST",
      path: "/waits",
      isRead: true,
      bodyLimit: 200_000,
      body: z.object({ isWaiting: z.boolean(), text: z.string() }),
      result: Done,
    },
    async (_ctx, { body }) => {
      if (!body.isWaiting) return done;
      const opened = once(gate, "open");
      gate.emit("begun");
      await opened;
      return done;
    },
  );
  const { ask } = serverOf([waits], { limits: { ...defaultLimits, largeBodyBytes: 150_000 } });
  const post = (size: number, isWaiting = false, signal: AbortSignal | null = null) =>
    ask("/waits", {
      method: "POST",
      signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ isWaiting, text: "x".repeat(size) }),
    });
  /** Sends a large body, and waits until its operation is under way. */
  async function begin(signal?: AbortSignal) {
    const begun = once(gate, "begun");
    const answer = post(100_000, true, signal);
    await begun;
    return { answer };
  }

  it("are worked on at once as far as there is room: one more is told to come again", async () => {
    const { answer } = await begin();
    const refused = await post(100_000);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    assert.equal((await post(50_000)).status, 200, "small bodies are not counted");
    gate.emit("open");
    assert.equal((await answer).status, 200);
    assert.equal((await post(180_000)).status, 200, "a single one always has room");
  });

  it("give their room back when their client is gone", async () => {
    const gone = new AbortController();
    const { answer } = await begin(gone.signal);
    gone.abort();
    await assert.rejects(answer);
    // The server hears of it a moment later.
    while ((await post(100_000)).status !== 200);
    gate.emit("open");
  });
});
