import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../test/email.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import {
  countsOf,
  identifyCall as identify,
  reasonsOf,
  sendBatch,
  sendTo,
  trackCall as track,
} from "../../../test/intake.ts";
import { BELIEVED_MS, hashOf, hashUntil, provingProject, secretOf } from "../../../test/perimeter.ts";
import { usageOf } from "../../../test/usage.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time/clock.ts";

const house = testHouse();

const iso = (ms: number): string => new Date(ms).toISOString();

/** Events of a user, newest first, with when they were. */
const eventsOf = async ({ api }: TestProject, id = "ada") =>
  (await api.listUserEvents({ path: { id } })).events;
const namesOf = async (project: TestProject, id = "ada"): Promise<string[]> =>
  (await eventsOf(project, id)).map(({ name }) => name).toSorted();
const userOf = async ({ api }: TestProject, id = "ada") => (await api.getUser({ path: { id } })).user;
const traitsOf = async (project: TestProject, id = "ada") => (await userOf(project, id)).traits;
const isKnown = async ({ api }: TestProject, id: string): Promise<boolean> =>
  api.getUser({ path: { id } }).then(
    () => true,
    () => false,
  );
const activeIn = async (project: TestProject): Promise<number> =>
  (await usageOf(project)).projects.find(({ id }) => id === project.projectId)?.activeUsers ?? -1;

/** Sends a batch with the publishable key, which has to be taken. */
async function sendOpenly(project: TestProject, batch: readonly unknown[]): Promise<void> {
  const answer = await sendTo(project, "batch", { batch });
  assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
}

/** The traits of a user in a group. */
const ACME = { group: { id: "7", name: "Acme" }, group_id: "7", group_name: "Acme" };

describe("calls", () => {
  it("write what they say, one by one and in a batch", async () => {
    const project = await house.project();
    for (const [path, body] of [
      ["identify", { userId: "ada", traits: { plan: "pro" } }],
      ["i", { userId: "ada", traits: { seats: 3 } }],
      ["t", { userId: "ada", event: "paid", properties: { amount: 49 } }],
      ["p", { userId: "ada", properties: { url: "https://a.example/x?y" } }],
      ["screen", { userId: "ada", name: "Home" }],
      ["g", { userId: "ada", groupId: 7, traits: { name: "Acme" } }],
      ["a", { userId: "ada", previousId: "ada" }],
      ["track", { userId: "ada", type: "identify", event: "opened" }],
    ] as const)
      assert.equal((await sendTo(project, path, body)).status, 200, path);
    assert.deepEqual(await traitsOf(project), { plan: "pro", seats: 3, ...ACME });
    const events = await eventsOf(project);
    assert.deepEqual(Object.fromEntries(events.map(({ name, props }) => [name, props])), {
      paid: { amount: 49 },
      page: { $current_url: "https://a.example/x" },
      screen: { name: "Home" },
      opened: null,
    });
    assert.deepEqual(await reasonsOf(project), {});
    await sendBatch(project, [
      identify({ plan: null, seats: 4 }),
      track("paid"),
      { type: "page", userId: "bob" },
    ]);
    assert.deepEqual(await traitsOf(project), { seats: 4, ...ACME });
    assert.deepEqual(await namesOf(project, "bob"), ["page"]);
  });

  it("keep the order of a user's traits, through 2,500 of a request", async () => {
    const project = await house.project();
    const users = 25;
    const batch = Array.from({ length: 2_500 }, (_, n) => ({
      type: "identify",
      userId: `user ${n % users}`,
      traits: { n, [`k${n % 3}`]: n },
    }));
    await sendBatch(project, batch);
    for (let user = 0; user < users; user++) {
      const last = (fits: (n: number) => boolean): number =>
        batch.findLastIndex(({ traits: { n } }) => n % users === user && fits(n));
      assert.deepEqual(await traitsOf(project, `user ${user}`), {
        n: last(() => true),
        k0: last((n) => n % 3 === 0),
        k1: last((n) => n % 3 === 1),
        k2: last((n) => n % 3 === 2),
      });
    }
  });

  it("of one user alone take no other order", async () => {
    const project = await house.project();
    await sendBatch(
      project,
      Array.from({ length: 600 }, (_, n) => identify({ n, [`k${n % 7}`]: n })),
    );
    const { n, ...others } = await traitsOf(project);
    assert.deepEqual([n, Math.min(...Object.values(others).map(Number))], [599, 593]);
  });
});

describe("a messageId", () => {
  it("counts once, in a batch, again, and at the same time", async () => {
    const project = await house.project();
    const call = track("paid", { messageId: "m-1", properties: { amount: 1 } });
    await sendBatch(project, [call, call]);
    await sendBatch(project, [call]);
    await Promise.all(
      Array.from({ length: 12 }, () => sendBatch(project, [call, track("opened", { messageId: "m-2" })])),
    );
    assert.deepEqual(await namesOf(project), ["opened", "paid"]);
    assert.deepEqual((await countsOf(project)).calls, { "unknown track": [27, 0] });
  });

  it("counts once although the clocks have gone on, and the first time stays", async () => {
    const project = await house.project();
    const at = house.now();
    const call = track("paid", { messageId: "m-1", timestamp: iso(at - 5_000) });
    await sendBatch(project, [call], { sentAt: iso(at) });
    house.advance(60_000);
    await sendBatch(project, [call], { sentAt: iso(at + 60_500) });
    assert.deepEqual(
      (await eventsOf(project)).map(({ ts }) => ts),
      [at - 5_000],
    );
  });

  it("of another event is refused, and that is counted", async () => {
    const project = await house.project();
    const first = track("paid", { messageId: "m-1", properties: { amount: 1 } });
    await sendBatch(project, [first, track("opened", { messageId: "m-1" })]);
    await sendBatch(project, [track("paid", { messageId: "m-1", properties: { amount: 2 } })]);
    await sendBatch(project, [track("paid", { messageId: "m-1", userId: "bob" })]);
    assert.deepEqual(await namesOf(project), ["paid"]);
    assert.deepEqual(await namesOf(project, "bob"), ["paid"]);
    assert.deepEqual(await countsOf(project), {
      calls: { "unknown track": [2, 2] },
      problems: { "unknown track event_id": [2, ["opened", "paid"]] },
    });
  });

  it("may be long, or a number", async () => {
    const project = await house.project();
    const ids = [
      "x".repeat(128),
      "x".repeat(129),
      "x".repeat(130),
      `${"x".repeat(129)}y`,
      "💥".repeat(100_000),
      7,
      "é",
    ];
    for (let n = 0; n < 2; n++)
      for (const messageId of ids) await sendBatch(project, [track("paid", { messageId })]);
    assert.equal((await eventsOf(project)).length, ids.length);
  });

  it("has trimmed events be the same again", async () => {
    const project = await house.project();
    const properties = { note: "é".repeat(3_000), amount: 5, list: Array(500).fill("x") };
    for (let n = 0; n < 2; n++) await sendBatch(project, [track("paid", { messageId: "m", properties })]);
    const [event, ...more] = await eventsOf(project);
    assert.deepEqual(more, []);
    assert.deepEqual(event?.props, { amount: 5, list: properties.list, $trimmed: ["note"] });
    assert.deepEqual((await countsOf(project)).problems, { "unknown track trimmed": [2, ["note"]] });
  });

  it("that is missing has each count", async () => {
    const project = await house.project();
    await sendBatch(project, [track("paid"), track("paid")]);
    await sendBatch(project, [track("paid", { messageId: "" })]);
    assert.equal((await eventsOf(project)).length, 3);
  });
});

describe("what cannot be kept of a text or a number", () => {
  it("is mended or left out, and the rest of the batch is taken", async () => {
    const project = await house.project();
    const raw = `{"batch":[
      {"type":"track","userId":"ada","event":"pa\\u0000id","properties":{"na\\u0000me":"a\\u0000b","half":"\\ud800","list":["\\udfff"]}},
      {"type":"track","userId":"ada","event":"numbers","properties":{"id":9007199254740993,"deep":{"list":[1,1e400]},"ok":1}},
      {"type":"identify","userId":"ada","traits":{"id":1161888007138312192,"ok":1}},
      {"type":"group","userId":"ada","groupId":"acme","traits":{"id":1e400,"seats":1e400}},
      {"type":"track","userId":1161888007138312192,"event":"paid"},
      {"type":"group","userId":"ada","groupId":1161888007138312192},
      {"type":1e400,"userId":"ada"},
      1e400,
      {"type":"identify","userId":"ada","traits":{"__proto__":{"admin":true},"constructor":"Bob","a":1}},
      {"type":"track","userId":"ada","event":"last","timestamp":1e400}
    ],"__proto__":{"toString":1e400}}`;
    const answer = await sendTo(project, "batch", raw);
    assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
    assert.deepEqual(Object.fromEntries((await eventsOf(project)).map(({ name, props }) => [name, props])), {
      paid: { name: "ab", half: "\ufffd", list: ["\ufffd"] },
      numbers: { deep: { list: [1, null] }, ok: 1 },
      last: null,
    });
    assert.deepEqual(await traitsOf(project), {
      ok: 1,
      group: { id: "acme" },
      group_id: "acme",
      constructor: "Bob",
      a: 1,
    });
    assert.deepEqual(await countsOf(project), {
      calls: {
        "unknown track": [3, 1],
        "unknown identify": [2, 0],
        "unknown group": [1, 1],
        "unknown unknown": [0, 2],
      },
      problems: {
        "unknown track number": [1, ["deep", "id"]],
        "unknown identify number": [1, ["id"]],
        "unknown group number": [1, ["id", "seats"]],
        "unknown track user_id": [1, ["paid"]],
        "unknown track clock": [1, []],
        "unknown group malformed": [1, ["groupId"]],
        "unknown unknown unknown_call": [1, []],
        "unknown unknown malformed": [1, []],
      },
    });
    assert.equal(String({}), "[object Object]");
  });

  it("under ten thousand times is left out, and one more is refused as a whole", async () => {
    const project = await house.project();
    const body = (numbers: number) =>
      `{"batch":[{"type":"track","userId":"ada","event":"paid","properties":{"list":[${"1e400,".repeat(numbers)}0]}}]}`;
    assert.equal((await sendTo(project, "batch", body(10_000))).status, 200);
    assert.equal((await sendTo(project, "batch", body(10_001))).status, 400);
  });
});

describe("proof of users", () => {
  it("is demanded of traits where the project does, and what is not proven is counted", async () => {
    const { project, secret } = await provingProject(house);
    house.advance(BELIEVED_MS);
    const right = hashOf(secret, "ada");
    await sendOpenly(project, [
      identify({ a: 1 }),
      identify({ a: 2 }, { context: { userHash: hashOf(secret, "bob") } }),
      identify({ a: 3 }, { context: { userHash: 5 } }),
      identify({ a: 4 }, { context: { userHash: hashUntil(secret, "ada", house.now() - 1) } }),
      { type: "group", userId: "ada", groupId: "acme" },
      // As with track: a caller with the public key may invent events.
      track("paid"),
    ]);
    assert.deepEqual(await traitsOf(project), {});
    assert.deepEqual(await countsOf(project), {
      calls: { "unknown identify": [0, 4], "unknown group": [0, 1], "unknown track": [1, 0] },
      problems: { "unknown identify unidentified": [4, []], "unknown group unidentified": [1, []] },
    });
    await sendOpenly(project, [
      identify({ b: 1 }, { context: { userHash: right } }),
      identify({ c: 1 }, { context: { userHash: hashUntil(secret, "ada", house.now() + 1_000) } }),
      { type: "group", userId: "ada", groupId: "acme", context: { userHash: right } },
    ]);
    await sendBatch(project, [identify({ d: 1 })]);
    assert.deepEqual(await traitsOf(project), { b: 1, c: 1, d: 1, group: { id: "acme" }, group_id: "acme" });
  });

  it("moves an address, and nothing else does with the publishable key", async () => {
    const project = await house.project();
    const secret = await secretOf(house, project);
    house.advance(BELIEVED_MS);
    await sendOpenly(project, [identify({ email: "ada@acme.example" })]);
    await sendOpenly(project, [identify({ email: "eve@evil.example", ok: 1 })]);
    assert.deepEqual(await traitsOf(project), { email: "ada@acme.example", ok: 1 });
    assert.deepEqual((await countsOf(project)).problems, {
      "unknown identify server_traits": [1, ["email"]],
    });
    await sendOpenly(project, [
      identify({ email: "ada@new.example" }, { context: { userHash: hashOf(secret, "ada") } }),
    ]);
    assert.equal((await traitsOf(project)).email, "ada@new.example");
  });
});

describe("what only the secret key may", () => {
  it("is not done by the publishable one, and that is counted", async () => {
    const project = await house.project();
    await setSettings(house, project, {
      "identity.serverEvents": "paid, page",
      "identity.serverTraits": "plan",
    });
    house.advance(BELIEVED_MS);
    const calls = [
      track("paid"),
      track("opened"),
      { type: "page", userId: "ada" },
      identify({ plan: "pro", theme: "dark" }),
    ];
    await sendOpenly(project, calls);
    assert.deepEqual(await namesOf(project), ["opened"]);
    assert.deepEqual(await traitsOf(project), { theme: "dark" });
    assert.deepEqual(await countsOf(project), {
      calls: { "unknown track": [1, 1], "unknown page": [0, 1], "unknown identify": [1, 0] },
      problems: {
        "unknown track server_event": [1, ["paid"]],
        "unknown page server_event": [1, ["page"]],
        "unknown identify server_traits": [1, ["plan"]],
      },
    });
    await sendBatch(project, calls);
    assert.deepEqual(await namesOf(project), ["opened", "opened", "page", "paid"]);
    await sendOpenly(project, [identify({ theme: "light", plan: "free" })]);
    assert.deepEqual(await traitsOf(project), { plan: "pro", theme: "dark" });
  });
});

describe("settings", () => {
  it("of pages: ignored, they are counted", async () => {
    const project = await house.project();
    await setSettings(house, project, { "intake.pages": "ignore" });
    const calls = [{ type: "page", userId: "ada" }, { type: "screen", userId: "ada" }, track("paid")];
    await sendBatch(project, calls);
    assert.deepEqual(await namesOf(project), ["paid"]);
    assert.deepEqual(await reasonsOf(project), { pages_ignored: 2 });
    await setSettings(house, project, { "intake.pages": "record" });
    house.advance(BELIEVED_MS);
    await sendBatch(project, calls);
    assert.deepEqual(await namesOf(project), ["page", "paid", "paid", "screen"]);
  });

  it("of retention: what is older is refused, to the millisecond", async () => {
    const project = await house.project();
    await setSettings(house, project, { "retention.eventsDays": "30" });
    house.advance(BELIEVED_MS);
    const oldest = house.now() - 30 * DAY_MS;
    await sendBatch(project, [
      track("kept", { timestamp: iso(oldest) }),
      track("gone", { timestamp: iso(oldest - 1) }),
      track("gone", { timestamp: iso(oldest - 300 * DAY_MS) }),
    ]);
    assert.deepEqual(await namesOf(project), ["kept"]);
    assert.deepEqual((await countsOf(project)).problems, { "unknown track too_old": [2, ["gone"]] });
  });
});

describe("users", () => {
  it("of two ids never become one, and nobody is one", async () => {
    const project = await house.project();
    await sendBatch(project, [
      { type: "alias", userId: "ada", previousId: "anonymous-1" },
      { type: "alias", userId: "ada", previousId: "bob" },
      { type: "alias", previousId: "bob" },
      { ...track("paid"), userId: null, anonymousId: "anonymous-1" },
      { ...track("paid"), userId: "undefined" },
      { ...identify({}), userId: "[object Object]" },
    ]);
    assert.equal((await project.api.getUserSummary()).totalUsers, 0);
    assert.deepEqual(await reasonsOf(project), { two_users: 2, no_user: 2, user_id: 2 });
  });
});

describe("history", () => {
  it("makes nobody active, and moves what was first back and nothing last", async () => {
    house.at(Date.UTC(2026, 4, 20, 12));
    const project = await house.project();
    const [now, lastMonth] = [house.now(), Date.UTC(2026, 3, 10)];
    await sendBatch(project, [
      track("old", { timestamp: iso(lastMonth) }),
      { ...identify({ plan: "pro" }), userId: "bob", timestamp: iso(lastMonth) },
      { type: "group", userId: "carl", groupId: "acme", timestamp: iso(lastMonth - 400 * DAY_MS) },
    ]);
    assert.equal(await activeIn(project), 0);
    for (const id of ["ada", "bob"]) {
      const { firstSeenAt, lastSeenAt } = await userOf(project, id);
      assert.deepEqual([firstSeenAt, lastSeenAt], [lastMonth, lastMonth], id);
    }
    await sendBatch(project, [track("new"), { ...identify({}), userId: "bob" }]);
    assert.equal(await activeIn(project), 2);
    house.advance(HOUR_MS);
    await sendBatch(project, [
      track("older", { timestamp: iso(lastMonth - DAY_MS) }),
      { ...identify({ plan: "free" }), userId: "bob", timestamp: iso(lastMonth - DAY_MS) },
      { ...identify({ plan: "free" }), userId: "carl", timestamp: iso(lastMonth) },
    ]);
    for (const [id, first, last] of [
      ["ada", lastMonth - DAY_MS, now],
      ["bob", lastMonth - DAY_MS, now],
      ["carl", lastMonth - 400 * DAY_MS, lastMonth - 400 * DAY_MS],
    ] as const) {
      const { firstSeenAt, lastSeenAt } = await userOf(project, id);
      assert.deepEqual([id, firstSeenAt, lastSeenAt], [id, first, last]);
    }
    assert.equal(await activeIn(project), 2);
    assert.deepEqual(await house.differences(), {});
  });

  it("of pages and apps is believed for seven days, of servers for ten years", async () => {
    house.at(Date.UTC(2026, 4, 20, 12));
    const project = await house.project();
    const [week, years] = [house.now() - 7 * DAY_MS, house.now() - 3_650 * DAY_MS];
    const calls = [
      track("week", { timestamp: iso(week) }),
      track("more", { timestamp: iso(week - 1) }),
      track("years", { timestamp: iso(years) }),
      track("ages", { timestamp: iso(years - 1) }),
      track("ahead", { timestamp: iso(house.now() + DAY_MS) }),
    ];
    const timesOf = async () =>
      Object.fromEntries((await eventsOf(project)).map(({ name, ts }) => [name, ts]));
    await sendOpenly(project, calls);
    const now = house.now();
    assert.deepEqual(await timesOf(), { week, more: now, years: now, ages: now, ahead: now });
    assert.deepEqual(await reasonsOf(project), { clock: 4 });
    const own = await house.project();
    await sendBatch(own, calls);
    const times = Object.fromEntries((await eventsOf(own)).map(({ name, ts }) => [name, ts]));
    assert.deepEqual(times, { week, more: week - 1, years, ages: now, ahead: now });
    assert.deepEqual(await reasonsOf(own), { clock: 2 });
  });

  it("of a user is since createdAt by the secret key alone", async () => {
    const project = await house.project();
    const since = Date.UTC(2024, 1);
    const calls = [
      "2024-02-01T00:00:00.000Z",
      since / 1_000,
      iso(house.now() + DAY_MS),
      "1900-01-01",
      "soon",
    ].map((createdAt, n) => ({ ...identify({ createdAt }), userId: `user ${n}` }));
    const firsts = async () =>
      Promise.all(calls.map(async ({ userId }) => (await userOf(project, userId)).firstSeenAt));
    const now = house.now();
    await sendOpenly(project, calls);
    assert.deepEqual(await firsts(), [now, now, now, now, now]);
    await sendBatch(project, calls);
    assert.deepEqual(await firsts(), [since, since, now, now, now]);
    assert.equal((await traitsOf(project, "user 0")).createdAt, "2024-02-01T00:00:00.000Z");
    await sendBatch(project, [{ ...identify({ createdAt: "2025-01-01" }), userId: "user 0" }]);
    assert.equal((await userOf(project, "user 0")).firstSeenAt, since, "it moves back only");
    assert.deepEqual(await house.differences(), {});
  });
});

describe("what these calls leave behind", () => {
  it("is sound", async () => {
    assert.equal(await isKnown(await house.project(), "ada"), false);
    assert.deepEqual(await house.differences(), {});
  });
});
