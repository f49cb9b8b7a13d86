import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { CALLS } from "../schema.ts";
import type { Fields } from "./fit.pure.ts";
import { callInstant, happenedAt, reportedBy } from "./instant.pure.ts";
import { type CallReading, callReader, type ReadCall } from "./read-call.pure.ts";

const NOW = Date.UTC(2026, 10, 28, 9);

function reading(given: unknown, more: Partial<CallReading> = {}): ReadCall {
  const sentAt = callInstant(more.beside?.sentAt);
  const timeOf: CallReading["timeOf"] = (call) =>
    happenedAt({ ...reportedBy(call, sentAt), now: NOW, mostAgeMs: 3_650 * DAY_MS });
  return callReader({ timeOf, keepsPages: true, keepsVisitors: false, beside: {}, ...more })(given);
}

const reasonsOf = ({ remarks }: ReadCall): string[] => remarks.map(({ reason }) => reason);

/** A call that changes nothing, for one reason. */
function assertNotTaken(read: ReadCall, reason: string, about?: string): void {
  assert.deepEqual([read.act, reasonsOf(read)], [null, [reason]], about);
}

/** What a call does; fails where there is a remark on it. */
function actOf(given: unknown, more: Partial<CallReading> = {}) {
  const { act, remarks } = reading(given, more);
  assert.deepEqual(remarks, []);
  if (act === null) throw new Error("The call does nothing.");
  return act;
}

const NODE = { library: { name: "@segment/analytics-node", version: "3.1.0" } };

describe("calls as @segment/analytics-node sends them", () => {
  const common = {
    userId: "ada",
    context: NODE,
    integrations: {},
    timestamp: "2026-11-28T08:59:59.500Z",
    messageId: "node-next-1764320399500-0b1c",
    _metadata: { nodeVersion: "24.21.0", jsRuntime: "node" },
  };
  const at = NOW - 500;
  const beside = { writeKey: "pk_pub_x", sentAt: "2026-11-28T09:00:00.000Z" };

  it("identify", () => {
    const given = {
      ...common,
      type: "identify",
      traits: { plan: "pro", createdAt: "2024-02-01T00:00:00.000Z" },
    };
    assert.deepEqual(reading(given, { beside }), {
      call: "identify",
      library: "@segment/analytics-node",
      act: {
        kind: "user",
        userId: "ada",
        traits: given.traits,
        json: JSON.stringify(given.traits),
        createdAt: Date.UTC(2024, 1),
        at,
        userHash: undefined,
      },
      remarks: [],
    });
  });
  it("track", () => {
    const given = { ...common, type: "track", event: "upgraded", properties: { amount: 49 } };
    assert.deepEqual(actOf(given, { beside }), {
      kind: "event",
      userId: "ada",
      name: "upgraded",
      props: { amount: 49 },
      json: '{"amount":49}',
      messageId: common.messageId,
      at,
    });
  });
  it("page and screen", () => {
    for (const type of ["page", "screen"] as const) {
      const given = {
        ...common,
        type,
        name: "Home",
        properties: { url: "https://a.example/?x=1", title: "A" },
      };
      assert.deepEqual(actOf(given, { beside }), {
        kind: "event",
        userId: "ada",
        name: type,
        props: { $current_url: "https://a.example/", name: "Home", title: "A" },
        json: '{"$current_url":"https://a.example/","name":"Home","title":"A"}',
        messageId: common.messageId,
        at,
      });
      assertNotTaken(reading(given, { beside, keepsPages: false }), "pages_ignored");
    }
  });
  it("group", () => {
    const given = { ...common, type: "group", groupId: "acme", traits: { seats: 5, id: "other" } };
    const act = actOf(given, { beside });
    assert.ok(act.kind === "user");
    assert.deepEqual(act.traits, {
      group: { id: "acme", seats: 5 },
      group_id: "acme",
      group_name: null,
      group_plan: null,
    });
    assert.equal(act.createdAt, null);
  });
  it("alias", () => {
    const given = { ...common, type: "alias", previousId: "visitor-1" };
    assertNotTaken(reading(given, { beside }), "two_users");
    assert.deepEqual(reading({ ...given, previousId: "ada" }, { beside }).remarks, []);
    assert.deepEqual(reading({ ...given, userId: 7, previousId: "7" }, { beside }).remarks, []);
  });
});

describe("calls as @segment/analytics-next sends them", () => {
  const page = {
    path: "/",
    referrer: "",
    search: "?utm_source=x",
    title: "Shop",
    url: "https://shop.example/?utm_source=x",
  };
  const common = {
    timestamp: "2026-11-28T09:00:00.000Z",
    integrations: { "Segment.io": true },
    messageId: "ajs-next-1764320400000-x",
    anonymousId: "5a0b",
    context: {
      page,
      userAgent: "Mozilla",
      locale: "en",
      library: { name: "analytics.js", version: "npm:next-1.84.3" },
    },
    writeKey: "pk_pub_x",
    sentAt: "2026-11-28T09:00:00.100Z",
  };
  it("before sign-in: no user, counted", () => {
    const read = reading({ ...common, type: "page", userId: null, properties: page });
    assertNotTaken(read, "no_user");
    assert.equal(read.library, "analytics.js");
  });
  it("after it", () => {
    const act = actOf({ ...common, type: "page", userId: "ada", properties: page });
    assert.ok(act.kind === "event");
    assert.deepEqual(act.props, { $current_url: "https://shop.example/", $pathname: "/", title: "Shop" });
    assert.equal(act.at, NOW - 100);
  });
});

describe("calls as RudderStack sends them", () => {
  it("have their traits twice, and the time as originalTimestamp", () => {
    const act = actOf({
      type: "identify",
      userId: "ada",
      anonymousId: "x",
      originalTimestamp: "2026-11-28T07:00:00.000Z",
      timestamp: "2026-11-28T07:30:00.000Z",
      sentAt: "2026-11-28T08:00:00.000Z",
      traits: { plan: "pro" },
      context: {
        traits: { plan: "free", name: "Ada" },
        library: { name: "analytics-node", version: "3.0.13" },
      },
      messageId: "m",
    });
    assert.ok(act.kind === "user");
    assert.deepEqual(act.traits, { plan: "pro", name: "Ada" });
    assert.equal(act.at, NOW - 3_600_000, "as long before it came as before it was sent");
  });
});

describe("calls of visitors", () => {
  const kept = { keepsVisitors: true };
  const track = { type: "track", event: "paid" };
  const identify = { type: "identify", traits: { plan: "pro" } };
  const alias = { type: "alias", userId: "ada" };
  /** Whom a call is about, and the remarks on it. */
  const namedIn = (call: Fields) => {
    const { act, remarks } = reading(call, kept);
    return [act?.userId, act?.anonymousId, remarks.map(({ reason }) => reason)];
  };

  it("are theirs where they name no user", () => {
    for (const call of [
      track,
      { type: "page" },
      { type: "screen", userId: null },
      { ...identify, userId: "" },
      { type: "group", groupId: "acme" },
    ])
      assert.deepEqual(namedIn({ ...call, anonymousId: "b7e1" }), [undefined, "b7e1", []], call.type);
    assert.deepEqual(namedIn({ ...track, anonymousId: 7 }), [undefined, "7", []]);
    assertNotTaken(reading({ ...track, anonymousId: "b7e1" }), "no_user");
  });

  it("are the user's where they name both, and only an identify says that these are one", () => {
    const both = { userId: "ada", anonymousId: "b7e1" };
    for (const call of [track, { type: "page" }, { type: "group", groupId: "acme" }])
      assert.deepEqual(namedIn({ ...call, ...both }), ["ada", undefined, []], call.type);
    assert.deepEqual(namedIn({ ...identify, ...both }), ["ada", "b7e1", []]);
    assert.equal(actOf({ ...identify, ...both }).anonymousId, undefined);
  });

  it("name no one's id, or none, in vain", () => {
    for (const none of [undefined, null, ""])
      assertNotTaken(reading(none === undefined ? track : { ...track, anonymousId: none }, kept), "no_user");
    const wrong = ["undefined", "null", "0", "anonymous", "  ", "$anon:b7e1", "x".repeat(251), 1.5, {}, true];
    for (const anonymousId of wrong) {
      assertNotTaken(reading({ ...track, anonymousId }, kept), "visitor_id", String(anonymousId));
      assert.deepEqual(namedIn({ ...identify, userId: "ada", anonymousId }), [
        "ada",
        undefined,
        ["visitor_left_out"],
      ]);
      assert.deepEqual(namedIn({ ...track, userId: "ada", anonymousId }), ["ada", undefined, []]);
    }
    assert.deepEqual(namedIn({ ...track, anonymousId: "x".repeat(250) })[2], []);
    assertNotTaken(reading({ ...identify, userId: "null", anonymousId: "b7e1" }, kept), "user_id");
    assertNotTaken(reading({ ...track, userId: "$anon:b7e1" }, kept), "user_id");
  });

  it("are joined with a user by an alias that names them as the id before", () => {
    const join = { kind: "join", userId: "ada", anonymousId: "b7e1", userHash: undefined };
    assert.deepEqual(reading({ ...alias, previousId: "b7e1" }, kept).act, { ...join, isItsVisitor: false });
    const own = { ...alias, previousId: "b7e1", anonymousId: "b7e1" };
    assert.deepEqual(reading(own, kept).act, { ...join, isItsVisitor: true });
    assertNotTaken(reading(own), "two_users");
    for (const previousId of [undefined, null, "", "null", {}, "x".repeat(251)])
      assertNotTaken(reading({ ...alias, previousId }, kept), "two_users", String(previousId));
    assert.deepEqual(reading({ ...alias, previousId: "ada" }, kept).remarks, []);
    assertNotTaken(reading({ type: "alias", anonymousId: "b7e1", previousId: "x" }, kept), "no_user");
  });
});

describe("what a call is", () => {
  const track = { type: "track", userId: "ada", event: "paid" };

  it("has to be an object of a type that there is", () => {
    for (const given of [null, undefined, 5, "track", true, [], [track]]) {
      const read = reading(given);
      assertNotTaken(read, "malformed", JSON.stringify(given));
      assert.deepEqual([read.call, read.library], ["unknown", "unknown"]);
    }
    for (const type of [undefined, null, "Track", "reset", 5, [], {}, "constructor", "__proto__", ""])
      assertNotTaken(reading({ ...track, type }), "unknown_call", String(type));
  });

  it("is never a fault of the reader, whatever stands in it", () => {
    const names = [
      "type",
      "userId",
      "anonymousId",
      "event",
      "properties",
      "traits",
      "context",
      "name",
      "category",
      "groupId",
      "previousId",
      "messageId",
      "timestamp",
      "originalTimestamp",
      "sentAt",
      "integrations",
    ];
    const value = fc.oneof(
      fc.jsonValue({ stringUnit: "binary" }),
      fc.constantFrom(undefined, "ada", "paid", ...CALLS),
      fc.record({
        library: fc.anything(),
        page: fc.anything(),
        traits: fc.anything(),
        userHash: fc.anything(),
      }),
    );
    const given = fc
      .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 12 })
      .map((entries): Fields => ({ type: "track", userId: "ada", ...Object.fromEntries(entries) }));
    fc.assert(
      fc.property(given, given, fc.boolean(), (call, beside, keepsVisitors) => {
        const read = reading(call, { beside, keepsVisitors });
        const isRefused = read.act === null && read.remarks.length > 0;
        assert.ok(isRefused || read.act !== null || read.call === "alias");
        assert.equal(new Set(reasonsOf(read)).size, read.remarks.length, "each remark once");
        if (read.act === null) return;
        assert.ok(keepsVisitors || (read.act.userId !== undefined && read.act.anonymousId === undefined));
        assert.ok(read.act.userId !== undefined || read.act.anonymousId !== undefined);
        if (read.act.kind === "join") return;
        assert.ok(Number.isSafeInteger(read.act.at) && read.act.at <= NOW);
        const fields = read.act.kind === "user" ? read.act.traits : (read.act.props ?? {});
        assert.equal(read.act.json, JSON.stringify(fields));
        assert.ok(Buffer.byteLength(read.act.json) <= 4_096);
        if (read.act.kind === "event") assert.ok(read.act.messageId !== "");
      }),
      { numRuns: 500 },
    );
  });

  it("names its user by a text or a whole number", () => {
    for (const [userId, expected] of [
      ["ada", "ada"],
      [" ada ", " ada "],
      [42, "42"],
      [Number.MAX_SAFE_INTEGER, "9007199254740991"],
      [-7, "-7"],
    ] as const)
      assert.equal(actOf({ ...track, userId }).userId, expected);
    for (const userId of [undefined, null, ""]) {
      const { userId: _, ...without } = track;
      assertNotTaken(reading(userId === undefined ? without : { ...track, userId }), "no_user");
    }
    for (const userId of [
      0,
      1.5,
      Number.NaN,
      2 ** 53,
      true,
      false,
      {},
      [],
      ["ada"],
      "  ",
      "null",
      "undefined",
      "[object Object]",
      "x".repeat(257),
    ])
      assertNotTaken(reading({ ...track, userId }), "user_id", String(userId));
    // In its place stands a number that cannot be kept.
    assertNotTaken(reading({ ...track, userId: undefined }), "user_id");
    assert.equal(actOf({ ...track, userId: "💥".repeat(256) }).userId, "💥".repeat(256));
  });

  it("of an event has a name of 1 to 80 characters", () => {
    for (const event of [undefined, null, "", "  ", 5, {}, ["paid"], "x".repeat(81)])
      assertNotTaken(reading({ ...track, event }), "event_name", String(event));
    for (const event of ["x".repeat(80), "💥".repeat(80), "Order Completed"]) {
      const act = actOf({ ...track, event });
      assert.ok(act.kind === "event" && act.name === event);
    }
  });

  it("has properties and traits that are objects, or none", () => {
    for (const none of [undefined, null, "", {}]) {
      const act = actOf({ ...track, properties: none });
      assert.ok(act.kind === "event" && act.props === null, JSON.stringify(none));
    }
    for (const wrong of [5, "text", true, [], [{}]]) {
      assertNotTaken(reading({ ...track, properties: wrong }), "malformed");
      assertNotTaken(reading({ ...track, type: "page", properties: wrong }), "malformed");
      for (const type of ["identify", "group"]) {
        const call = { type, userId: "ada", groupId: "acme" };
        assertNotTaken(reading({ ...call, traits: wrong }), "malformed");
      }
      assertNotTaken(reading({ type: "identify", userId: "ada", context: { traits: wrong } }), "malformed");
    }
  });

  it("of a group names it by a text of up to 256 characters or a whole number", () => {
    const group = { type: "group", userId: "ada" };
    for (const groupId of [undefined, null, "", 1.5, true, {}, [], "x".repeat(257), "x".repeat(5_000)])
      assertNotTaken(reading({ ...group, groupId }), "malformed", String(groupId).slice(0, 20));
    for (const [groupId, id] of [
      [42, "42"],
      [0, "0"],
      ["\u0001".repeat(256), "\u0001".repeat(256)],
    ] as const) {
      const act = actOf({ ...group, groupId });
      assert.ok(act.kind === "user");
      assert.deepEqual([act.traits.group, act.traits.group_id], [{ id }, id]);
    }
  });

  it("of a group with too many traits is left with the smallest of them, and never without itself", () => {
    for (let length = 3_900; length <= 4_200; length += 7) {
      const traits = { note: "x".repeat(length), seats: 5 };
      const { act, remarks } = reading({ type: "group", userId: "ada", groupId: "acme", traits });
      assert.ok(act?.kind === "user");
      const { group } = act.traits as { group: Fields };
      assert.deepEqual([group.id, group.seats], ["acme", 5], String(length));
      assert.deepEqual(remarks, group.note === undefined ? [{ reason: "trimmed", names: ["note"] }] : []);
    }
  });

  it("has its id as a text; a number is one too", () => {
    for (const [messageId, expected] of [
      ["m-1", "m-1"],
      [7, "7"],
      ["", null],
      [null, null],
      [undefined, null],
      [{}, null],
      [1.5, null],
    ] as const) {
      const act = actOf({ ...track, messageId });
      assert.ok(act.kind === "event");
      assert.equal(act.messageId, expected);
    }
  });

  it("says which numbers of it could not be kept", () => {
    const gap = { id: undefined, list: [1, undefined], ok: 1 };
    for (const call of [
      { ...track, properties: gap },
      { type: "identify", userId: "ada", traits: gap },
      { type: "group", userId: "ada", groupId: "acme", traits: gap },
    ])
      assert.deepEqual(reading(call).remarks, [{ reason: "number", names: ["id", "list"] }], call.type);
  });

  it("is since when its product knows the user only where that can be", () => {
    const sinceOf = (createdAt: unknown) => {
      const { act } = reading({ type: "identify", userId: "ada", traits: { createdAt } });
      return act?.kind === "user" ? act.createdAt : undefined;
    };
    assert.equal(sinceOf("2024-02-01"), Date.UTC(2024, 1));
    assert.equal(sinceOf(1_706_745_600), Date.UTC(2024, 1));
    for (const none of [
      undefined,
      null,
      "",
      "soon",
      0,
      "0001-01-01T00:00:00Z",
      "1970-01-01T00:00:00Z",
      "1900-01-01",
    ])
      assert.equal(sinceOf(none), null, String(none));
  });

  it("has a time in doubt where a number in its place could not be kept", () => {
    for (const name of ["timestamp", "originalTimestamp"])
      assert.deepEqual(reasonsOf(reading({ ...track, [name]: undefined })), ["clock"], name);
    assert.deepEqual(reasonsOf(reading({ ...track, timestamp: "2024-01-01", originalTimestamp: null })), []);
  });
});

describe("whom a call is for", () => {
  const meant = (integrations: unknown, beside: Fields = {}): boolean =>
    reading({ type: "track", userId: "ada", event: "paid", integrations }, { beside }).act !== null;

  it("is said by Tidings, else by All", () => {
    for (const integrations of [undefined, null, {}, { All: true }, { Mixpanel: false }, "none", [], 5])
      assert.equal(meant(integrations), true, JSON.stringify(integrations));
    assert.equal(meant({ All: false }), false);
    assert.equal(meant({ Tidings: false }), false);
    assert.equal(meant({ All: true, Tidings: false }), false);
    assert.equal(meant({ All: false, Tidings: true }), true);
    assert.equal(meant({ All: false, Tidings: { some: "option" } }), true);
    assert.equal(meant({ All: false, Mixpanel: true }), false);
  });

  it("is said beside the calls for those that do not say it", () => {
    assert.equal(meant(undefined, { integrations: { All: false } }), false);
    assert.equal(meant({}, { integrations: { All: false } }), true);
  });
});

describe("the library of a call", () => {
  const libraryOf = (context: unknown, beside: Fields = {}) =>
    reading({ type: "track", userId: "ada", event: "paid", context }, { beside }).library;

  it("is what it calls itself, in 64 printable characters", () => {
    assert.equal(libraryOf({ library: { name: "x".repeat(65) } }), "x".repeat(64));
    assert.equal(libraryOf({ library: { name: " a\u0007b\u202ec " } }), "abc");
    assert.equal(libraryOf(undefined, { context: NODE }), "@segment/analytics-node");
    assert.equal(libraryOf({ ip: "1.2.3.4" }, { context: NODE }), "@segment/analytics-node");
    for (const library of [undefined, null, 5, "text", [], {}, { name: 5 }, { name: "" }, { name: "💥" }])
      assert.equal(libraryOf({ library }), "unknown");
    for (const context of [null, 5, "text", []]) assert.equal(libraryOf(context), "unknown");
  });
});

describe("a call with very many properties", () => {
  it("keeps what is kept of it, whatever stands beyond the keys that are looked at", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, n) => [`key-${n}`, n % 2 === 0 ? undefined : n]),
    );
    const { act, remarks } = reading({ type: "track", userId: "ada", event: "paid", properties: wide });
    assert.ok(act?.kind === "event");
    assert.ok(Buffer.byteLength(act.json) <= 4_096);
    assert.ok(Object.values(act.props ?? {}).every((value) => value !== undefined));
    assert.deepEqual(
      remarks.map(({ reason, names }) => [reason, names.length > 0]),
      [
        ["trimmed", true],
        ["number", true],
      ],
    );
  });
});
