import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AudienceInput, Diagnostic } from "../schema.ts";
import { MAX_DIAGNOSTICS } from "./diagnostics.pure.ts";
import { parseExpression } from "./parse.pure.ts";

const trait = (rest: object, key = "plan") => ({ kind: "field", field: { kind: "trait", key }, ...rest });
const property = (rest: object) => ({
  kind: "field",
  field: { kind: "event_property", key: "total" },
  ...rest,
});
const user = (rest: object) => ({ kind: "field", field: { kind: "user", field: "lastSeenAt" }, ...rest });
const id = (rest: object) => ({ kind: "field", field: { kind: "user", field: "id" }, ...rest });
const event = (rest: object = {}) => ({ kind: "event", event: "paid", ...rest });
const message = (rest: object = {}) => ({ kind: "message", did: "received", ...rest });
const CAMPAIGN = "cmp_019c1f3a-0000-7000-8000-000000000000";
const isPro = trait({ op: "eq", value: "pro" });
const week = { amount: 7, unit: "days" };

const faultsOf = (root: unknown): [string, string][] => {
  const parsed = parseExpression({ version: 1, root });
  return parsed.ok ? [] : parsed.diagnostics.map(({ code, path }) => [code, path]);
};
const nested = (depth: number, leaf: unknown = isPro): unknown =>
  depth === 1 ? leaf : { kind: "not", child: nested(depth - 1, leaf) };
const all = (...children: unknown[]) => ({ kind: "all", children });

describe("parseExpression takes", () => {
  const valid: [string, unknown][] = [
    ...[1, "x", "", true].map((value): [string, unknown] => [`eq ${value}`, trait({ op: "eq", value })]),
    ["neq", trait({ op: "neq", value: false })],
    ["in of strings", trait({ op: "in", value: ["a", "b"] })],
    ["in of 50 numbers", trait({ op: "in", value: Array.from({ length: 50 }, (_, i) => i) })],
    ["not_in", trait({ op: "not_in", value: [0] })],
    ...["contains", "starts_with", "ends_with"].map((op): [string, unknown] => [
      op,
      trait({ op, value: "p" }),
    ]),
    ...["gt", "gte", "lt", "lte"].map((op): [string, unknown] => [op, trait({ op, value: -0.5 })]),
    ["exists", trait({ op: "exists" })],
    ["not_exists", trait({ op: "not_exists" })],
    ["before", trait({ op: "before", value: "2026-01-31T09:00:00+05:30" })],
    ["after", user({ op: "after", value: "2026-01-31T09:00Z" })],
    ["within_last", user({ op: "within_last", value: week })],
    ["not_within_last", trait({ op: "not_within_last", value: { amount: 1, unit: "minutes" } })],
    ["within_next", trait({ op: "within_next", value: { amount: 3_650, unit: "days" } })],
    ["not_within_next", user({ op: "not_within_next", value: week })],
    ...["eq", "neq", "contains", "starts_with", "ends_with"].map((op): [string, unknown] => [
      `an id that ${op}`,
      id({ op, value: "ada" }),
    ]),
    ...["in", "not_in"].map((op): [string, unknown] => [
      `50 ids ${op}`,
      id({ op, value: Array.from({ length: 50 }, (_, i) => `${i}`) }),
    ]),
    ["a text of 1,000 characters", trait({ op: "eq", value: "💥".repeat(1_000) })],
    ["a key of 128 characters", trait({ op: "exists" }, "💥".repeat(128))],
    ["a key that every object inherits", trait({ op: "exists" }, "__proto__")],
    ["an event", event()],
    [
      "a count of 0 and of 10,000",
      all(event({ count: { op: "eq", value: 0 } }), event({ count: { op: "lt", value: 10_000 } })),
    ],
    ["the longest window", event({ window: { amount: 3_650, unit: "days" } })],
    ["eight conditions", event({ where: Array.from({ length: 8 }, () => property({ op: "exists" })) })],
    ["a condition on messages", message()],
    [
      "every part of one",
      message({ campaigns: [CAMPAIGN], channel: "push", count: { op: "eq", value: 0 }, window: week }),
    ],
    ["20 campaigns", message({ campaigns: Array.from({ length: 20 }, () => CAMPAIGN) })],
    ...(["received", "opened", "clicked", "dismissed"] as const).map((did): [string, unknown] => [
      did,
      message({ did }),
    ]),
    ["messages dismissed in the page", message({ did: "dismissed", channel: "web_inapp" })],
    ["a group of one", { kind: "any", children: [isPro] }],
    ["a group of 16", all(...Array.from({ length: 16 }, () => isPro))],
    ["a tree of depth 8", nested(8)],
    [
      "64 nodes",
      all(
        ...Array.from({ length: 7 }, () =>
          event({ where: Array.from({ length: 8 }, () => property({ op: "exists" })) }),
        ),
      ),
    ],
  ];
  for (const [name, root] of valid) it(name, () => assert.deepEqual(faultsOf(root), []));
});

const op = "/root/op";
const value = "/root/value";
const invalid: [string, unknown, string, string][] = [
  ["a root that is no object", 5, "invalid_node", "/root"],
  ["no root", undefined, "invalid_node", "/root"],
  ["a list for a node", [isPro], "invalid_node", "/root"],
  ["a node without a kind", {}, "unknown_kind", "/root"],
  ["a kind that is not known", { kind: "none", children: [isPro] }, "unknown_kind", "/root/kind"],
  ["an inherited kind", { kind: "constructor" }, "unknown_kind", "/root/kind"],
  ["an empty group", all(), "empty_group", "/root/children"],
  [
    "an empty group far inside",
    all(isPro, { kind: "not", child: { kind: "any", children: [] } }),
    "empty_group",
    "/root/children/1/child/children",
  ],
  ["a group without children", { kind: "all" }, "invalid_value", "/root/children"],
  ["17 children", all(...Array.from({ length: 17 }, () => isPro)), "too_many_items", "/root/children"],
  ["a negation of nothing", { kind: "not" }, "invalid_node", "/root/child"],
  ["depth 9", nested(9), "too_deep", "/root" + "/child".repeat(8)],
  ["a key too many in a group", { ...all(isPro), op: "or" }, "unknown_key", "/root/op"],
  [
    "a key too many in a negation",
    { kind: "not", child: isPro, children: [] },
    "unknown_key",
    "/root/children",
  ],
  ["a key too many in a field", trait({ op: "exists", negate: true }), "unknown_key", "/root/negate"],
  ["a key that needs escaping", trait({ op: "exists", "a/b~c": 1 }), "unknown_key", "/root/a~1b~0c"],
  [
    "__proto__ as a key",
    JSON.parse('{"kind":"not","child":{"kind":"event","event":"a"},"__proto__":{}}'),
    "unknown_key",
    "/root/__proto__",
  ],
  ["a huge key", trait({ op: "exists", ["x".repeat(5_000)]: 1 }), "unknown_key", "/root"],
  ["a field without a field", { kind: "field", op: "exists" }, "invalid_value", "/root/field"],
  [
    "a field of no kind",
    { kind: "field", field: { key: "plan" }, op: "exists" },
    "unknown_kind",
    "/root/field",
  ],
  [
    "a field of another kind",
    { kind: "field", field: { kind: "device", key: "a" }, op: "exists" },
    "unknown_kind",
    "/root/field/kind",
  ],
  [
    "a trait with a path",
    { kind: "field", field: { kind: "trait", key: "a", path: "b" }, op: "exists" },
    "unknown_key",
    "/root/field/path",
  ],
  ["an empty key", trait({ op: "exists" }, ""), "invalid_value", "/root/field/key"],
  ["a key of 129 characters", trait({ op: "exists" }, "x".repeat(129)), "invalid_value", "/root/field/key"],
  [
    "a user field that there is not",
    { kind: "field", field: { kind: "user", field: "email" }, op: "exists" },
    "unknown_field",
    "/root/field/field",
  ],
  ["a property outside where", property({ op: "exists" }), "field_not_allowed", "/root/field/kind"],
  [
    "a trait inside where",
    event({ where: [trait({ op: "exists" })] }),
    "field_not_allowed",
    "/root/where/0/field/kind",
  ],
  [
    "a group inside where",
    event({ where: [all(property({ op: "exists" }))] }),
    "unknown_kind",
    "/root/where/0/kind",
  ],
  ["no operator", trait({ value: 1 }), "missing_key", "/root"],
  ["an operator that is not known", trait({ op: "equals", value: 1 }), "unknown_operator", op],
  ["an operator that is no string", trait({ op: ["eq"], value: 1 }), "unknown_operator", op],
  ["a comparison of a user field", user({ op: "eq", value: 5 }), "operator_not_allowed", op],
  ...["exists", "not_exists", "gt", "before", "within_next"].map((op): [string, unknown, string, string] => [
    `${op} of an id`,
    id({ op, value: "ada" }),
    "operator_not_allowed",
    "/root/op",
  ]),
  ...[5, true, null, ["ada"]].map((value): [string, unknown, string, string] => [
    `the id ${JSON.stringify(value)}`,
    id({ op: "eq", value }),
    "invalid_value",
    "/root/value",
  ]),
  ["ids that are numbers", id({ op: "in", value: [5, 6] }), "invalid_value", "/root/value"],
  ["an id that is a number", id({ op: "not_in", value: ["5", 6] }), "invalid_value", "/root/value/1"],
  [
    "an id in where",
    event({ where: [id({ op: "eq", value: "ada" })] }),
    "field_not_allowed",
    "/root/where/0/field/kind",
  ],
  ["no value", trait({ op: "eq" }), "missing_key", "/root"],
  ["a value for exists", trait({ op: "exists", value: true }), "unexpected_value", value],
  ["a null value for not_exists", trait({ op: "not_exists", value: null }), "unexpected_value", value],
  ["eq null", trait({ op: "eq", value: null }), "invalid_value", value],
  ["eq a list", trait({ op: "eq", value: ["a"] }), "invalid_value", value],
  ["eq NaN", trait({ op: "eq", value: Number.NaN }), "invalid_value", value],
  ["gt infinity", trait({ op: "gt", value: Number.POSITIVE_INFINITY }), "invalid_value", value],
  ["gt a string", trait({ op: "gt", value: "5" }), "invalid_value", value],
  ["contains a number", trait({ op: "contains", value: 5 }), "invalid_value", value],
  ["a text of 1,001 characters", trait({ op: "eq", value: "x".repeat(1_001) }), "invalid_value", value],
  ["NUL", trait({ op: "eq", value: "a\0b" }), "invalid_text", value],
  ["half a surrogate pair", trait({ op: "in", value: ["ok", "\ud83d"] }), "invalid_text", "/root/value/1"],
  ["half a surrogate pair in a key", trait({ op: "exists" }, "\udca5"), "invalid_text", "/root/field/key"],
  ["NUL in an event", { kind: "event", event: "\0" }, "invalid_text", "/root/event"],
  ["in without a list", trait({ op: "in", value: "a" }), "invalid_value", value],
  ["in nothing", trait({ op: "in", value: [] }), "empty_list", value],
  ["in booleans", trait({ op: "in", value: [true] }), "invalid_value", value],
  ["in a mixed list", trait({ op: "in", value: ["a", 1] }), "invalid_value", "/root/value/1"],
  ["in 51", trait({ op: "in", value: Array.from({ length: 51 }, (_, i) => i) }), "too_many_items", value],
  ["before a date", trait({ op: "before", value: "2026-01-31" }), "invalid_value", value],
  [
    "before a time without offset",
    trait({ op: "before", value: "2026-01-31T00:00:00" }),
    "invalid_value",
    value,
  ],
  [
    "after a day that there is not",
    trait({ op: "after", value: "2026-02-30T00:00:00Z" }),
    "invalid_value",
    value,
  ],
  ["after epoch milliseconds", user({ op: "after", value: 1_767_225_600_000 }), "invalid_value", value],
  [
    "a window ahead that is a date",
    trait({ op: "within_next", value: "2026-03-01" }),
    "invalid_window",
    value,
  ],
  [
    "a window ahead of more than ten years",
    user({ op: "not_within_next", value: { amount: 87_601, unit: "hours" } }),
    "invalid_window",
    "/root/value/amount",
  ],
  ["a window that is no object", trait({ op: "within_last", value: "7d" }), "invalid_window", value],
  [
    "a window in weeks",
    trait({ op: "within_last", value: { amount: 1, unit: "weeks" } }),
    "invalid_window",
    "/root/value/unit",
  ],
  [
    "a window of nothing",
    event({ window: { amount: 0, unit: "days" } }),
    "invalid_window",
    "/root/window/amount",
  ],
  [
    "a window of a half",
    event({ window: { amount: 0.5, unit: "days" } }),
    "invalid_window",
    "/root/window/amount",
  ],
  [
    "a window of more than ten years",
    event({ window: { amount: 3_651, unit: "days" } }),
    "invalid_window",
    "/root/window/amount",
  ],
  ["a window with more in it", event({ window: { ...week, from: 0 } }), "unknown_key", "/root/window/from"],
  ["an event without a name", { kind: "event" }, "invalid_value", "/root/event"],
  ["an event of 81 characters", { kind: "event", event: "x".repeat(81) }, "invalid_value", "/root/event"],
  ["a key too many in an event", event({ name: "a" }), "unknown_key", "/root/name"],
  ["a count that is a number", event({ count: 3 }), "invalid_count", "/root/count"],
  [
    "a count by another operator",
    event({ count: { op: ">=", value: 1 } }),
    "unknown_operator",
    "/root/count/op",
  ],
  ["a count below zero", event({ count: { op: "gte", value: -1 } }), "invalid_count", "/root/count/value"],
  ["a count of 10,001", event({ count: { op: "gte", value: 10_001 } }), "invalid_count", "/root/count/value"],
  ["a null count", event({ count: null }), "invalid_count", "/root/count"],
  ["messages that nothing became of", { kind: "message" }, "missing_key", "/root"],
  ["a deed that there is none", message({ did: "read" }), "invalid_value", "/root/did"],
  ["a deed that every object inherits", message({ did: "constructor" }), "invalid_value", "/root/did"],
  ["a deed that is a number", message({ did: 1 }), "invalid_value", "/root/did"],
  ["mail that was dismissed", message({ did: "dismissed", channel: "email" }), "invalid_value", "/root/did"],
  ["pages that were opened", message({ did: "opened", channel: "web_inapp" }), "invalid_value", "/root/did"],
  ["a channel that there is none", message({ channel: "sms" }), "invalid_value", "/root/channel"],
  ["a null channel", message({ channel: null }), "invalid_value", "/root/channel"],
  ["no campaigns", message({ campaigns: [] }), "empty_list", "/root/campaigns"],
  ["campaigns that are no list", message({ campaigns: CAMPAIGN }), "invalid_value", "/root/campaigns"],
  [
    "21 campaigns",
    message({ campaigns: Array.from({ length: 21 }, () => CAMPAIGN) }),
    "too_many_items",
    "/root/campaigns",
  ],
  [
    "a campaign by its name",
    message({ campaigns: [CAMPAIGN, "Spring"] }),
    "invalid_value",
    "/root/campaigns/1",
  ],
  ["a campaign with a NUL", message({ campaigns: ["cmp_\0"] }), "invalid_value", "/root/campaigns/0"],
  [
    "an id of something else",
    message({ campaigns: ["goal_019c1f3a-0000-7000-8000-000000000000"] }),
    "invalid_value",
    "/root/campaigns/0",
  ],
  ["a campaign that is a number", message({ campaigns: [5] }), "invalid_value", "/root/campaigns/0"],
  ["a count of messages that is a number", message({ count: 3 }), "invalid_count", "/root/count"],
  [
    "a window of messages without a unit",
    message({ window: { amount: 3 } }),
    "invalid_window",
    "/root/window/unit",
  ],
  ["properties of messages", message({ where: [] }), "unknown_key", "/root/where"],
  ["an empty where", event({ where: [] }), "empty_list", "/root/where"],
  [
    "nine conditions",
    event({ where: Array.from({ length: 9 }, () => property({ op: "exists" })) }),
    "too_many_items",
    "/root/where",
  ],
];

describe("parseExpression refuses", () => {
  for (const [name, root, code, path] of invalid) {
    it(`${name}: ${code}`, () => assert.deepEqual(faultsOf(root), [[code, path]]));
  }

  it("65 nodes, where included", () => {
    const seven = Array.from({ length: 7 }, () =>
      event({ where: Array.from({ length: 8 }, () => property({ op: "exists" })) }),
    );
    assert.deepEqual(faultsOf(all(...seven, isPro)), [["too_many_nodes", "/root/children/7"]]);
  });

  it("what is no expression", () => {
    for (const input of [null, undefined, 5, "x", [], true]) {
      const parsed = parseExpression(input);
      assert.ok(!parsed.ok);
      assert.deepEqual(
        parsed.diagnostics.map(({ code, path }) => [code, path]),
        [["invalid_expression", ""]],
      );
    }
    const parsed = parseExpression({ version: 2, root: isPro, name: "x" });
    assert.ok(!parsed.ok);
    assert.deepEqual(
      parsed.diagnostics.map(({ code, path }) => [code, path]),
      [
        ["unknown_key", "/name"],
        ["unsupported_version", "/version"],
      ],
    );
  });

  it("everything that is wrong, at once", () => {
    assert.deepEqual(
      faultsOf(
        all(trait({ op: "is", value: 1 }), { kind: "any", children: [] }, event({ count: 1, window: 1 })),
      ),
      [
        ["unknown_operator", "/root/children/0/op"],
        ["empty_group", "/root/children/1/children"],
        ["invalid_count", "/root/children/2/count"],
        ["invalid_window", "/root/children/2/window"],
      ],
    );
  });

  it("hostile input, without a crash and without end", () => {
    const deep = JSON.parse(`${'{"kind":"not","child":'.repeat(5_000)}1${"}".repeat(5_000)}`) as unknown;
    assert.deepEqual(faultsOf(deep), [["too_deep", "/root" + "/child".repeat(8)]]);
    const wide = all(
      ...Array.from({ length: 16 }, () => all(...Array.from({ length: 16 }, () => ({ kind: "x" })))),
    );
    assert.equal(faultsOf(wide).length, MAX_DIAGNOSTICS);
    assert.deepEqual(faultsOf(all(...Array.from({ length: 100_000 }, () => 1))), [
      ["too_many_items", "/root/children"],
    ]);
    const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
    assert.equal(faultsOf({ ...isPro, ...keys }).length, MAX_DIAGNOSTICS);
  });

  it("in diagnostics that fit their schema", () => {
    for (const [, root] of invalid) {
      const parsed = parseExpression({ version: 1, root });
      assert.ok(!parsed.ok);
      for (const diagnostic of parsed.diagnostics) Diagnostic.parse(diagnostic);
    }
  });
});

describe("parseExpression suggests", () => {
  const cases: [unknown, string[]][] = [
    [trait({ op: "equals", value: 1 }), ["eq"]],
    [trait({ op: "EQ", value: 1 }), ["eq"]],
    [trait({ op: ">=", value: 1 }), ["gte"]],
    [trait({ op: "startswith", value: "a" }), ["starts_with"]],
    [trait({ op: "within_lats", value: week }), ["within_last"]],
    [user({ op: "newer_than", value: week }), ["within_last"]],
    [trait({ op: "within_nxet", value: week }), ["within_next"]],
    [trait({ op: "in_next", value: week }), ["within_next"]],
    [user({ op: "notWithinNext", value: week }), ["not_within_next"]],
    [id({ op: "is_one_of", value: ["a"] }), ["in"]],
    ...["userId", "user_id", "externalId", "externalUserId", "ID"].map((field): [unknown, string[]] => [
      { kind: "field", field: { kind: "user", field }, op: "eq", value: "ada" },
      ["id"],
    ]),
    [{ kind: "and", children: [isPro] }, ["all"]],
    [{ kind: "evnt", event: "a" }, ["event"]],
    [event({ windw: week }), ["window"]],
    [message({ did: "delivered" }), ["received"]],
    [message({ did: "open" }), ["opened"]],
    [message({ did: "clikced" }), ["clicked"]],
    [message({ channel: "in_app" }), ["web_inapp"]],
    [message({ channel: "emial" }), ["email"]],
    [{ kind: "mesage", did: "opened" }, ["message"]],
    [{ kind: "campaign", did: "opened" }, ["message"]],
    [event({ window: { amount: 1, unit: "day" } }), ["days"]],
    [{ kind: "field", field: { kind: "user", field: "last_seen_at" }, op: "exists" }, ["lastSeenAt"]],
    [trait({ op: "\u0000", value: 1 }), []],
    [trait({ op: "x".repeat(100_000), value: 1 }), []],
  ];
  for (const [root, suggestions] of cases) {
    it(suggestions.join() || "nothing", () => {
      const parsed = parseExpression({ version: 1, root });
      assert.ok(!parsed.ok);
      assert.deepEqual(parsed.diagnostics[0]?.suggestions ?? [], suggestions);
    });
  }
});

describe("AudienceInput", () => {
  it("takes what a request may say, and refuses other keys", () => {
    const expression = { version: 1, root: isPro };
    for (const input of [
      null,
      { kind: "all", reason: "news" },
      { kind: "expression", expression, reason: "why" },
      { kind: "expression", expression: "anything" },
      { kind: "segment", segment: "vips", version: 2 },
    ])
      assert.ok(AudienceInput.safeParse(input).success, JSON.stringify(input));
    for (const input of [
      { kind: "expression" },
      { kind: "segment", segment: "vips", reason: "x" },
      { kind: "segment", segment: "vips", version: 0 },
      { kind: "all", expression },
      { kind: "nobody" },
    ])
      assert.ok(!AudienceInput.safeParse(input).success, JSON.stringify(input));
  });
});
