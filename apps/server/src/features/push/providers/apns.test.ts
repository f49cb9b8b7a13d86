import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, describe, it } from "node:test";
import {
  type ApnsPeer,
  type ApnsPeerOptions,
  type ApnsPush,
  apnsRefuses,
  newApnsCredential,
  startApns,
} from "../../../../test/peers/apns.ts";
import { type Line, type PeerAnswer, startHttp2Peer, startLine } from "../../../../test/peers/http2-peer.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { openApns } from "./apns.ts";
import type { ClientOptions } from "./client.ts";
import type { PushClient, PushNotification, PushReply } from "./reply.pure.ts";
import type { ApnsCredential } from "./schema.ts";

const opened: { close(): unknown }[] = [];
after(async () => {
  for (const each of opened.reverse()) await each.close();
});

let now = Date.UTC(2026, 0, 15, 12);
const clock = () => now;

/** Polls until a condition is true; the time limit of the test ends a poll in vain. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

type Pair = { peer: ApnsPeer; client: PushClient };

function connect(
  peer: ApnsPeer,
  options: Partial<ClientOptions> = {},
  credential?: ApnsCredential,
): PushClient {
  const client = openApns(credential ?? peer.credential, { url: peer.url, clock, ...options });
  opened.push(client);
  return client;
}

async function pair(given: ApnsPeerOptions = {}, options: Partial<ClientOptions> = {}): Promise<Pair> {
  const peer = await startApns({ clock, ...given });
  opened.push(peer);
  return { peer, client: connect(peer, options) };
}

const push = (index = 0, given: Partial<PushNotification> = {}): PushNotification => ({
  id: `019b0000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  token: `token-${index}`,
  payload: JSON.stringify({ aps: { alert: { title: "Hello" } }, tidings: { attemptId: `pat_${index}` } }),
  expiresAt: now + HOUR_MS,
  replacementKey: null,
  slotId: `slot-${index}`,
  ...given,
});

const many = (client: PushClient, count: number, freshAuth = false): Promise<PushReply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => client.send(push(index), { freshAuth })));

const kinds = (replies: readonly PushReply[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const reply of replies) {
    const name = "code" in reply ? `${reply.kind} ${reply.code}` : reply.kind;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

/** A peer that answers the first push so, and accepts the others. */
const onlyFirst = (answer: PeerAnswer) => {
  let met = 0;
  return () => (met++ === 0 ? answer : null);
};

describe("a push to APNs", () => {
  it("arrives as it was given", async () => {
    const { peer, client } = await pair();
    const reply = await client.send(push(7, { expiresAt: now + 90_500 }));
    assert.deepEqual(reply, { kind: "accepted", providerId: "019b0000-0000-7000-8000-000000000007" });
    const { providerToken: _, ...taken } = peer.taken[0] ?? assert.fail();
    assert.deepEqual(taken, {
      token: "token-7",
      id: "019b0000-0000-7000-8000-000000000007",
      collapseId: "slot-7",
      expiration: Math.floor(now / 1_000) + 90,
      payload: { aps: { alert: { title: "Hello" } }, tidings: { attemptId: "pat_7" } },
    });
  });

  it("takes the place of what has the same key, in whatever that is written", async () => {
    const { peer, client } = await pair();
    for (const given of [
      { replacementKey: "offers" },
      { replacementKey: "🎉 offers" },
      { replacementKey: "x".repeat(64) },
      { slotId: "s".repeat(65) },
      { slotId: "s".repeat(66) },
      { slotId: "s".repeat(65) },
    ])
      assert.equal((await client.send(push(0, given))).kind, "accepted");
    const [plain, hashed, whole, ...slots] = peer.taken.map(({ collapseId }) => collapseId);
    assert.deepEqual([plain, whole], ["offers", "x".repeat(64)]);
    assert.match(hashed ?? "", /^[\w-]{43}$/);
    assert.equal(slots[0], slots[2]);
    assert.notEqual(slots[0], slots[1]);
  });

  it("reaches a token with whatever characters, and nothing beside it", async () => {
    const { peer, client } = await pair();
    for (const token of ["../../x?y#z", "a b/c", "🎉"]) await client.send(push(0, { token }));
    assert.deepEqual(
      peer.taken.map(({ token }) => token),
      ["../../x?y#z", "a b/c", "🎉"],
    );
    const long = await client.send(push(0, { token: "x".repeat(1_025) }));
    assert.deepEqual(long, { kind: "rejected", code: "BadDeviceToken", class: "token_invalid" });
  });

  it("keeps to the streams that a connection may have, and to four connections", async () => {
    const { peer, client } = await pair({ maxConcurrentStreams: 5, latencyMs: 2 });
    assert.deepEqual(kinds(await many(client, 500)), { accepted: 500 });
    assert.equal(peer.busiest(), 5);
    assert.equal(peer.connections().total, 4);
    assert.equal(new Set(peer.taken.map(({ token }) => token)).size, 500);
  });

  it("goes with many others over one connection where that has room", async () => {
    const { peer, client } = await pair();
    assert.deepEqual(kinds(await many(client, 500)), { accepted: 500 });
    assert.equal(peer.connections().total, 1);
  });
});

describe("APNs refuses a push", () => {
  for (const [answer, expected] of [
    [apnsRefuses(400, "BadDeviceToken"), { code: "BadDeviceToken", class: "token_doubtful" }],
    [
      apnsRefuses(410, "Unregistered", { timestamp: 1_700_000_000_000 }),
      { code: "Unregistered", class: "token_invalid", invalidSince: 1_700_000_000_000 },
    ],
    [apnsRefuses(403, "InvalidProviderToken"), { code: "InvalidProviderToken", class: "credential" }],
    [apnsRefuses(413, "PayloadTooLarge"), { code: "PayloadTooLarge", class: "payload" }],
    [
      apnsRefuses(429, "TooManyRequests", { retryAfter: "30" }),
      { code: "TooManyRequests", class: "throttled", retryAfterMs: 30_000 },
    ],
    [
      apnsRefuses(429, "TooManyRequests", { retryAfter: new Date(now + 60_000).toUTCString() }),
      { code: "TooManyRequests", class: "throttled", retryAfterMs: 60_000 },
    ],
    [apnsRefuses(500, "InternalServerError"), { code: "InternalServerError", class: "server" }],
    [apnsRefuses(503, "Shutdown", { retryAfter: "soon" }), { code: "Shutdown", class: "server" }],
    [
      { status: 502, body: "<html>" },
      { code: "502", class: "server" },
    ],
    [{ status: 410 }, { code: "410", class: "credential" }],
  ] as const) {
    it(`${expected.code}, with what is known of it (${JSON.stringify(answer).slice(0, 70)})`, async () => {
      const { peer, client } = await pair({ behaviour: () => answer });
      assert.deepEqual(await client.send(push()), { kind: "rejected", ...expected });
      assert.equal(peer.requests.length, 1);
    });
  }
  it("for another topic", async () => {
    const { peer } = await pair();
    const client = connect(peer, {}, { ...peer.credential, topic: "com.example.other" });
    assert.deepEqual(await client.send(push()), {
      kind: "rejected",
      code: "DeviceTokenNotForTopic",
      class: "token_foreign",
    });
  });
  it("where the payload is too large", async () => {
    const { client } = await pair();
    const payload = JSON.stringify({ aps: { alert: { title: "x".repeat(4_096) } } });
    const reply = await client.send(push(0, { payload }));
    assert.deepEqual(reply, { kind: "rejected", code: "PayloadTooLarge", class: "payload" });
  });
});

describe("a provider token", () => {
  const tokens = (peer: ApnsPeer): number =>
    new Set(peer.taken.map(({ providerToken }) => providerToken)).size;

  it("is made once for many, and anew before it ends", async () => {
    const { peer, client } = await pair();
    await many(client, 50);
    now += 49 * MINUTE_MS;
    await many(client, 50);
    assert.equal(tokens(peer), 1);
    now += MINUTE_MS;
    await many(client, 50);
    assert.equal(tokens(peer), 2);
    assert.equal(peer.taken.length, 150);
  });

  it("that is refused as too old stays, until a fresh one is asked for: then there is one for all", async () => {
    let ahead = 0;
    const { peer, client } = await pair({ clock: () => now + ahead });
    await many(client, 1);
    ahead = 2 * HOUR_MS;
    for (let round = 0; round < 2; round++)
      assert.deepEqual(kinds(await many(client, 10)), { "rejected ExpiredProviderToken": 10 });
    ahead = 0;
    now += MINUTE_MS;
    assert.deepEqual(kinds(await many(client, 20, true)), { accepted: 20 });
    assert.equal(tokens(peer), 2);
    assert.deepEqual(kinds(await many(client, 20, true)), { accepted: 20 });
    assert.equal(tokens(peer), 2);
  });

  it("of another key, key id or team proves nothing", async () => {
    const { peer } = await pair();
    const { privateKey } = await newApnsCredential();
    for (const other of [{ privateKey }, { keyId: "KEY7654321" }, { teamId: "TEAM654321" }]) {
      const client = connect(peer, {}, { ...peer.credential, ...other });
      assert.deepEqual(await client.send(push()), {
        kind: "rejected",
        code: "InvalidProviderToken",
        class: "credential",
      });
    }
  });

  it("cannot be made with a key that is none", async () => {
    const { peer } = await pair();
    const client = connect(peer, {}, { ...peer.credential, privateKey: "none" });
    assert.deepEqual(await client.send(push()), {
      kind: "blocked",
      code: "InvalidProviderToken",
      class: "credential",
    });
    assert.equal(peer.connections().total, 0);
  });
});

describe("a connection that fails", () => {
  for (const how of ["goaway", "refuse"] as const) {
    it(`proves with ${how} that a push was not looked at: it goes out anew, and arrives once`, async () => {
      const { peer, client } = await pair({ behaviour: onlyFirst(how) });
      assert.equal((await client.send(push())).kind, "accepted");
      assert.equal(peer.taken.length, 1);
      assert.equal(peer.requests.length, 2);
      assert.equal(peer.connections().total, how === "goaway" ? 2 : 1);
    });
    it(`is given up when there is nothing but ${how}`, async () => {
      const { peer, client } = await pair({ behaviour: () => how });
      const reply = await client.send(push());
      assert.deepEqual(reply, { kind: "blocked", code: "connection_lost", class: "connection" });
      assert.ok(peer.requests.length <= 3);
      peer.behave(() => null);
      assert.equal((await client.send(push())).kind, "accepted");
    });
  }

  it("sends out anew what came after the last stream, and waits for what came before", async () => {
    let met = 0;
    const { peer, client } = await pair({ latencyMs: 20, behaviour: () => (met++ === 25 ? "goaway" : null) });
    assert.deepEqual(kinds(await many(client, 50)), { accepted: 50 });
    assert.equal(new Set(peer.taken.map(({ token }) => token)).size, 50);
    assert.equal(peer.connections().total, 2);
  });

  for (const how of ["reset", "drop", "leave"] as const) {
    it(`leaves it unknown with ${how} what became of a push`, async () => {
      const { peer, client } = await pair({ behaviour: onlyFirst(how) });
      assert.deepEqual(await client.send(push()), { kind: "unknown", code: "connection_lost" });
      assert.equal(peer.requests.length, 1);
      assert.equal((await client.send(push(1))).kind, "accepted");
    });
  }

  it("is unknown in time where nothing is said", async () => {
    const silence = ({ token }: ApnsPush) => (token === "token-0" ? "silence" : null);
    const { peer, client } = await pair({ behaviour: silence }, { sendMs: 1_000 });
    const [unanswered, taken] = await many(client, 2);
    assert.deepEqual(unanswered, { kind: "unknown", code: "timeout" });
    assert.equal(taken?.kind, "accepted");
    assert.equal((await client.send(push(2))).kind, "accepted");
    assert.equal(peer.connections().total, 1);
  });

  /** A client whose line to the peer can be blocked. */
  async function withLine(options: Partial<ClientOptions>): Promise<Pair & { line: Line }> {
    const peer = await startApns({ clock });
    opened.push(peer);
    const line = await startLine(peer);
    opened.push(line);
    return { peer, line, client: connect(peer, { ...options, url: line.url }) };
  }

  it("is left when it answers no ping after a silence", async () => {
    const { peer, client, line } = await withLine({ sendMs: 1_000, pace: { pongMs: 500 } });
    await client.send(push());
    line.freeze();
    assert.deepEqual(await client.send(push(1)), { kind: "unknown", code: "timeout" });
    await until(() => line.open() === 0);
    assert.equal((await client.send(push(2))).kind, "accepted");
    assert.equal(peer.connections().total, 2);
  });

  it("is pinged while it is idle, so that the next push does not meet a dead one", async () => {
    const { peer, client, line } = await withLine({ pace: { pingEveryMs: 50, pongMs: 500 } });
    await client.send(push());
    line.freeze();
    await until(() => line.open() === 0);
    assert.equal((await client.send(push(1))).kind, "accepted");
    assert.equal(peer.taken.length, 2);
  });

  it("is left when nobody needs it, and opened again", async () => {
    const { peer, client } = await pair({}, { pace: { idleMs: 20 } });
    await client.send(push());
    await until(() => peer.connections().open === 0);
    assert.deepEqual(peer.connections(), { total: 1, open: 0 });
    assert.equal((await client.send(push(1))).kind, "accepted");
    assert.equal(peer.connections().total, 2);
  });

  it("cannot be opened to nobody: nothing was sent", async () => {
    const peer = await startApns({ clock });
    await peer.close();
    const faults: Error[] = [];
    const client = connect(peer, { onFault: (error) => faults.push(error) });
    const blocked = { kind: "blocked", code: "connection_lost", class: "connection" } as const;
    assert.deepEqual(kinds(await many(client, 20)), { "blocked connection_lost": 20 });
    assert.deepEqual(await client.send(push()), blocked);
    assert.ok(faults.length >= 2 && faults.length <= 4);
  });

  it("cannot be opened to who cannot prove who it is", async () => {
    const impostor = await startHttp2Peer({
      isTrusted: false,
      answer: () => assert.fail("It was spoken to."),
    });
    opened.push(impostor);
    const faults: string[] = [];
    const onFault = ({ message }: Error) => faults.push(message);
    const client = openApns(await newApnsCredential(), { url: impostor.url, clock, onFault });
    opened.push(client);
    assert.deepEqual(await client.send(push()), {
      kind: "blocked",
      code: "connection_lost",
      class: "connection",
    });
    assert.match(faults.join(), /certificate/);
  });

  it("cannot be opened to who says nothing, and does not wait for ever", async () => {
    // The client has to read to notice that the peer has closed.
    const mute = createServer((socket) => socket.resume());
    mute.listen(0, "127.0.0.1");
    await once(mute, "listening");
    opened.push(mute);
    const address = mute.address();
    const port = typeof address === "object" ? address?.port : 0;
    const credential = await newApnsCredential();
    const url = `https://127.0.0.1:${port}`;
    const client = openApns(credential, { url, clock, sendMs: 500 });
    opened.push(client);
    assert.deepEqual(await client.send(push()), { kind: "blocked", code: "timeout", class: "connection" });
  });

  it("says what is under way when the client is closed", async () => {
    const { client, peer } = await pair({ behaviour: () => "silence" });
    const sent = client.send(push());
    await until(() => peer.requests.length === 1);
    client.close();
    assert.deepEqual(await sent, { kind: "unknown", code: "connection_lost" });
    assert.deepEqual(await client.send(push()), {
      kind: "blocked",
      code: "connection_lost",
      class: "connection",
    });
    assert.equal(peer.requests.length, 1);
  });
});
