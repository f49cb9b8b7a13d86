import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import {
  type FcmPeer,
  type FcmPeerOptions,
  fcmRefuses,
  newFcmCredential,
  startFcm,
} from "../../../../test/peers/fcm.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { type FcmOptions, openFcm } from "./fcm.ts";
import type { PushClient, PushNotification, PushReply } from "./reply.pure.ts";
import type { FcmCredential } from "./schema.ts";

const opened: { close(): unknown }[] = [];
after(async () => {
  for (const each of opened.reverse()) await each.close();
});

let now = Date.UTC(2026, 0, 15, 12);
const clock = () => now;

type Pair = { peer: FcmPeer; client: PushClient };

function connect(peer: FcmPeer, options: Partial<FcmOptions> = {}, credential?: FcmCredential): PushClient {
  const { url, tokenUrl } = peer;
  const client = openFcm(credential ?? peer.credential, { url, tokenUrl, clock, ...options });
  opened.push(client);
  return client;
}

async function pair(given: FcmPeerOptions = {}, options: Partial<FcmOptions> = {}): Promise<Pair> {
  const peer = await startFcm({ clock, ...given });
  opened.push(peer);
  return { peer, client: connect(peer, options) };
}

const push = (index = 0, given: Partial<PushNotification> = {}): PushNotification => ({
  id: `019b0000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  token: `token-${index}`,
  payload: JSON.stringify({ tidings: JSON.stringify({ attemptId: `pat_${index}` }), tidings_tag: "slot" }),
  expiresAt: now + HOUR_MS,
  replacementKey: null,
  slotId: `slot-${index}`,
  ...given,
});

const many = (client: PushClient, count: number, freshAuth = false): Promise<PushReply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => client.send(push(index), { freshAuth })));

const kindsOf = (replies: readonly PushReply[]): string[] => [
  ...new Set(replies.map((reply) => ("code" in reply ? `${reply.kind} ${reply.code}` : reply.kind))),
];

describe("a push to FCM", () => {
  it("arrives as data, with what there is to know for its way", async () => {
    const { peer, client } = await pair();
    const reply = await client.send(push(7, { token: 'a"b', expiresAt: now + 90_500 }));
    assert.deepEqual(reply, { kind: "accepted", providerId: "projects/example-app/messages/0:pat_7" });
    const { accessToken: _, ...taken } = peer.taken[0] ?? assert.fail();
    assert.deepEqual(taken, {
      token: 'a"b',
      data: { tidings: '{"attemptId":"pat_7"}', tidings_tag: "slot" },
      android: { priority: "HIGH", ttl: "91s" },
      envelope: { attemptId: "pat_7" },
    });
  });

  for (const [name, given, expected] of [
    [
      "collapses under a replacement key",
      { replacementKey: "offers" },
      { ttl: "3600s", collapse_key: "offers" },
    ],
    ["is worth delivering now or never when it has expired", { expiresAt: 0 }, { ttl: "0s" }],
    ["is kept for four weeks at most", { expiresAt: now + 40 * DAY_MS }, { ttl: "2419200s" }],
  ] as const) {
    it(name, async () => {
      const { peer, client } = await pair();
      assert.equal((await client.send(push(0, given))).kind, "accepted");
      assert.deepEqual(peer.taken[0]?.android, { priority: "HIGH", ...expected });
    });
  }

  it("collapses under a hash of a key that is long", async () => {
    const { peer, client } = await pair();
    await client.send(push(0, { replacementKey: "🎉".repeat(64) }));
    assert.match(peer.taken[0]?.android.collapse_key ?? "", /^[\w-]{43}$/);
  });

  it("goes with many others over one connection", async () => {
    const { peer, client } = await pair({ maxConcurrentStreams: 100 }, { connections: 1 });
    assert.deepEqual(kindsOf(await many(client, 300)), ["accepted"]);
    assert.equal(new Set(peer.taken.map(({ token }) => token)).size, 300);
    assert.equal(peer.tokenRequests(), 1);
  });
});

describe("FCM refuses a push", () => {
  for (const [answer, expected] of [
    [fcmRefuses(404, "NOT_FOUND", "UNREGISTERED"), { code: "UNREGISTERED", class: "token_invalid" }],
    [
      fcmRefuses(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
      { code: "SENDER_ID_MISMATCH", class: "token_foreign" },
    ],
    [
      fcmRefuses(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", { field: "message.token" }),
      { code: "INVALID_ARGUMENT", class: "token_doubtful" },
    ],
    [
      fcmRefuses(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", { field: "message.android.ttl" }),
      { code: "INVALID_ARGUMENT", class: "payload" },
    ],
    [
      fcmRefuses(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", { retryAfter: "60" }),
      { code: "QUOTA_EXCEEDED", class: "throttled", retryAfterMs: 60_000 },
    ],
    [fcmRefuses(503, "UNAVAILABLE", "UNAVAILABLE"), { code: "UNAVAILABLE", class: "server" }],
    [
      { status: 502, body: "<html>" },
      { code: "502", class: "server" },
    ],
  ] as const) {
    it(`${expected.code}: ${expected.class}`, async () => {
      const { peer, client } = await pair({ behaviour: () => answer });
      assert.deepEqual(await client.send(push()), { kind: "rejected", ...expected });
      assert.equal(peer.requests.length, 1);
    });
  }
  for (const how of ["reset", "drop"] as const) {
    it(`without a word (${how}): it is not known`, async () => {
      const { client } = await pair({ behaviour: () => how });
      assert.deepEqual(await client.send(push()), { kind: "unknown", code: "connection_lost" });
    });
  }
  it("for a project that is not that of the credential", async () => {
    const { peer } = await pair();
    const client = connect(peer, {}, { ...peer.credential, projectId: "other" });
    assert.deepEqual(await client.send(push()), {
      kind: "rejected",
      code: "NOT_FOUND",
      class: "token_doubtful",
    });
  });
});

describe("an access token", () => {
  it("is asked for once for many, and anew before it ends", async () => {
    const { peer, client } = await pair();
    await many(client, 50);
    now += 54 * MINUTE_MS;
    await many(client, 50);
    assert.equal(peer.tokenRequests(), 1);
    now += MINUTE_MS;
    assert.deepEqual(kindsOf(await many(client, 50)), ["accepted"]);
    assert.equal(peer.tokenRequests(), 2);
  });

  it("that lives shortly is used for half its time", async () => {
    const { peer, client } = await pair({ expiresIn: 60 });
    await many(client, 5);
    now += 29_999;
    await many(client, 5);
    assert.equal(peer.tokenRequests(), 1);
    now += 1;
    assert.deepEqual(kindsOf(await many(client, 5)), ["accepted"]);
    assert.equal(peer.tokenRequests(), 2);
  });

  it("that is refused stays, until a fresh one is asked for: then there is one for all", async () => {
    const { peer, client } = await pair();
    await many(client, 5);
    peer.revoke();
    for (let round = 0; round < 2; round++) {
      const [reply] = await many(client, 5);
      assert.deepEqual(reply, { kind: "rejected", code: "UNAUTHENTICATED", class: "auth_expired" });
    }
    assert.equal(peer.tokenRequests(), 1);
    assert.deepEqual(kindsOf(await many(client, 20, true)), ["accepted"]);
    assert.deepEqual(kindsOf(await many(client, 20, true)), ["accepted"]);
    assert.equal(peer.tokenRequests(), 2);
  });

  for (const [name, answer, expected] of [
    [
      "of an account that is none",
      { status: 400, body: '{"error":"invalid_grant"}' },
      { code: "invalid_grant", class: "credential" },
    ],
    [
      "while Google has none to give",
      { status: 503, body: "", headers: { "retry-after": "7" } },
      { code: "503", class: "server", retryAfterMs: 7_000 },
    ],
    ["too often", { status: 429, body: '{"error":"slow_down"}' }, { code: "slow_down", class: "throttled" }],
    ["that is a page", { status: 200, body: "<html>" }, { code: "invalid_response", class: "server" }],
    [
      "that is a number",
      { status: 200, body: '{"access_token":5}' },
      { code: "invalid_response", class: "server" },
    ],
    [
      "with a line break",
      { status: 200, body: '{"access_token":"a\\nb"}' },
      { code: "invalid_response", class: "server" },
    ],
    [
      "from elsewhere",
      { status: 302, body: "", headers: { location: "/elsewhere" } },
      { code: "connection_lost", class: "connection" },
    ],
    ["from who says nothing", "silence", { code: "timeout", class: "connection" }],
  ] as const) {
    it(`${name} is none: nothing was sent, and the next one may do`, async () => {
      const { peer, client } = await pair({}, { sendMs: answer === "silence" ? 1_000 : 10_000 });
      peer.behaveTokens(() => answer);
      const replies = await many(client, 10);
      for (const reply of replies) assert.deepEqual(reply, { kind: "blocked", ...expected });
      assert.equal(peer.tokenRequests(), 1);
      assert.equal(peer.requests.length, 0);
      peer.behaveTokens(() => null);
      assert.equal((await client.send(push())).kind, "accepted");
    });
  }

  it("is given to nobody with another key", async () => {
    const { peer } = await pair();
    const { privateKey } = await newFcmCredential();
    const client = connect(peer, {}, { ...peer.credential, privateKey });
    assert.deepEqual(await client.send(push()), {
      kind: "blocked",
      code: "invalid_grant",
      class: "credential",
    });
  });

  it("cannot be asked for with a key that is none, or where nobody is", async () => {
    const { peer } = await pair();
    const none = connect(peer, {}, { ...peer.credential, privateKey: "none" });
    assert.deepEqual(await none.send(push()), {
      kind: "blocked",
      code: "invalid_grant",
      class: "credential",
    });
    const nowhere = connect(peer, { tokenUrl: "https://127.0.0.1:9/token" });
    assert.deepEqual(await nowhere.send(push()), {
      kind: "blocked",
      code: "connection_lost",
      class: "connection",
    });
    assert.equal(peer.tokenRequests(), 0);
  });
});
