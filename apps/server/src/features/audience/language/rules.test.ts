import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeAudience, describeExpression } from "./describe.ts";
import { parseExpression } from "./parse/parse.pure.ts";
import { countNodes, referencesOf } from "./rules.ts";
import { Audience, type AudienceExpression, type StoredAudience } from "./schema.ts";

const parse = (root: unknown): AudienceExpression => {
  const parsed = parseExpression({ version: 1, root });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.expression;
};
const trait = (rest: object, key = "plan") => ({ kind: "field", field: { kind: "trait", key }, ...rest });
const property = (key: string, rest: object) => ({
  kind: "field",
  field: { kind: "event_property", key },
  ...rest,
});
const event = (name: string, rest: object = {}) => ({ kind: "event", event: name, ...rest });
const message = (rest: object) => ({ kind: "message", did: "received", ...rest });
/** An id of a campaign, made of one digit. */
const cmp = (digit: string): string =>
  `cmp_${digit.repeat(8)}-${digit.repeat(4)}-${digit.repeat(4)}-${digit.repeat(4)}-${digit.repeat(12)}`;
const group = (kind: string, ...children: unknown[]) => ({ kind, children });

describe("canonical", () => {
  const same: [string, unknown, string][] = [
    [
      "puts keys in order",
      { op: "eq", value: "pro", field: { key: "plan", kind: "trait" }, kind: "field" },
      '{"kind":"field","field":{"kind":"trait","key":"plan"},"op":"eq","value":"pro"}',
    ],
    ["fills in the count", event("paid"), '{"kind":"event","event":"paid","count":{"op":"gte","value":1}}'],
    [
      "sorts texts and drops duplicates",
      trait({ op: "in", value: ["b", "B", "a", "b", "10", "9", ""] }),
      '{"kind":"field","field":{"kind":"trait","key":"plan"},"op":"in","value":["","10","9","B","a","b"]}',
    ],
    [
      "sorts numbers as numbers",
      trait({ op: "not_in", value: [10, 9, -1, 9, 0, -0] }),
      '{"kind":"field","field":{"kind":"trait","key":"plan"},"op":"not_in","value":[-1,0,9,10]}',
    ],
    [
      "takes the sign from zero",
      trait({ op: "gt", value: -0 }),
      '{"kind":"field","field":{"kind":"trait","key":"plan"},"op":"gt","value":0}',
    ],
    [
      "orders windows and conditions",
      {
        where: [
          {
            value: { unit: "days", amount: 2 },
            op: "within_last",
            field: { key: "at", kind: "event_property" },
            kind: "field",
          },
        ],
        window: { unit: "hours", amount: 3 },
        count: { value: 0, op: "eq" },
        event: "paid",
        kind: "event",
      },
      '{"kind":"event","event":"paid","count":{"op":"eq","value":0},"window":{"amount":3,"unit":"hours"},"where":[{"kind":"field","field":{"kind":"event_property","key":"at"},"op":"within_last","value":{"amount":2,"unit":"days"}}]}',
    ],
    [
      "orders a condition on messages, and names each campaign once",
      {
        window: { unit: "days", amount: 2 },
        channel: "email",
        campaigns: ["b", "a", "b"].map(cmp),
        did: "opened",
        kind: "message",
      },
      `{"kind":"message","did":"opened","campaigns":["${cmp("a")}","${cmp("b")}"],"channel":"email","count":{"op":"gte","value":1},"window":{"amount":2,"unit":"days"}}`,
    ],
    [
      "fills in the count of messages",
      message({}),
      '{"kind":"message","did":"received","count":{"op":"gte","value":1}}',
    ],
    [
      "keeps the order of children",
      group("any", event("b"), { child: event("a"), kind: "not" }),
      '{"kind":"any","children":[{"kind":"event","event":"b","count":{"op":"gte","value":1}},{"kind":"not","child":{"kind":"event","event":"a","count":{"op":"gte","value":1}}}]}',
    ],
  ];
  for (const [name, root, json] of same) {
    it(name, () => {
      const expression = parse(root);
      assert.equal(JSON.stringify(expression), `{"version":1,"root":${json}}`);
      assert.deepEqual(parseExpression(expression), { ok: true, expression });
    });
  }

  it("has one hash, the SHA-256 of its JSON", () => {
    const { expressionHash } = describeExpression(parse(trait({ op: "in", value: ["b", "a"] })));
    assert.equal(
      expressionHash,
      describeExpression(parse(trait({ value: ["a", "b", "a"], op: "in" }))).expressionHash,
    );
    // printf '{"version":1,"root":{"kind":"event","event":"paid","count":{"op":"gte","value":1}}}' | sha256sum
    assert.equal(
      describeExpression(parse(event("paid"))).expressionHash,
      "d080fc5d7e4ea3f721d97144a3acb57481e9d0049e9f2ebc7904807aa9e81a34",
    );
  });
});

describe("countNodes and referencesOf", () => {
  const root = group(
    "all",
    trait({ op: "exists" }),
    event("paid", { where: [property("total", { op: "gt", value: 1 })] }),
    {
      kind: "not",
      child: group("any", event("paid"), event("left"), trait({ op: "exists" }, "seats"), message({})),
    },
  );
  it("count conditions of where as nodes", () => assert.equal(countNodes(parse(root).root), 10));
  it("name each trait and event once", () =>
    assert.deepEqual(referencesOf(parse(root)), { traits: ["plan", "seats"], events: ["paid", "left"] }));
});

describe("summarize", () => {
  const pro = trait({ op: "eq", value: "pro" });
  const paid = event("paid");
  const left = event("left");
  const cases: [unknown, string][] = [
    [pro, 'trait plan is "pro"'],
    [trait({ op: "neq", value: true }), "trait plan is not true"],
    [trait({ op: "in", value: ["b", "a"] }), 'trait plan is one of "a", "b"'],
    [trait({ op: "not_in", value: [1, 2, 3, 4, 5, 6, 7] }), "trait plan is none of 1, 2, 3, 4, 5 and 2 more"],
    [trait({ op: "contains", value: 'a"b' }), 'trait plan contains "a\\"b"'],
    [trait({ op: "starts_with", value: "a" }), 'trait plan starts with "a"'],
    [trait({ op: "ends_with", value: "x".repeat(90) }), `trait plan ends with "${"x".repeat(80)}…"`],
    [trait({ op: "gt", value: 5 }), "trait plan is more than 5"],
    [trait({ op: "gte", value: 5 }), "trait plan is at least 5"],
    [trait({ op: "lt", value: -5 }), "trait plan is less than -5"],
    [trait({ op: "lte", value: 0.5 }), "trait plan is at most 0.5"],
    [trait({ op: "exists" }, "my plan"), 'trait "my plan" exists'],
    [trait({ op: "not_exists" }), "trait plan does not exist"],
    [trait({ op: "before", value: "2026-01-31T09:00Z" }), "trait plan is before 2026-01-31T09:00Z"],
    [
      {
        kind: "field",
        field: { kind: "user", field: "lastSeenAt" },
        op: "after",
        value: "2026-01-31T09:00Z",
      },
      "last seen is after 2026-01-31T09:00Z",
    ],
    [
      {
        kind: "field",
        field: { kind: "user", field: "firstSeenAt" },
        op: "within_last",
        value: { amount: 1, unit: "days" },
      },
      "first seen is within the last day",
    ],
    [
      trait({ op: "not_within_last", value: { amount: 90, unit: "minutes" } }),
      "trait plan is not within the last 90 minutes",
    ],
    [trait({ op: "within_next", value: { amount: 1, unit: "hours" } }), "trait plan is within the next hour"],
    [
      trait({ op: "not_within_next", value: { amount: 3, unit: "days" } }),
      "trait plan is not within the next 3 days",
    ],
    [
      { kind: "field", field: { kind: "user", field: "id" }, op: "in", value: ["b", "a"] },
      'user id is one of "a", "b"',
    ],
    [paid, "performed paid"],
    [event("order paid"), 'performed "order paid"'],
    [event("paid", { count: { op: "gte", value: 3 } }), "performed paid at least 3 times"],
    [event("paid", { count: { op: "eq", value: 0 } }), "performed paid exactly 0 times"],
    [event("paid", { count: { op: "neq", value: 1 } }), "performed paid not exactly 1 time"],
    [event("paid", { count: { op: "gt", value: 1 } }), "performed paid more than 1 time"],
    [event("paid", { count: { op: "lt", value: 2 } }), "performed paid fewer than 2 times"],
    [
      event("paid", { count: { op: "lte", value: 2 }, window: { amount: 7, unit: "days" } }),
      "performed paid at most 2 times in the last 7 days",
    ],
    [
      event("paid", {
        where: [property("total", { op: "gt", value: 5 }), property("a b", { op: "exists" })],
      }),
      'performed paid where (property total is more than 5 and property "a b" exists)',
    ],
    [message({}), "received a message"],
    [message({ channel: "web_inapp", did: "dismissed" }), "dismissed a message in the page"],
    [
      message({ channel: "email", did: "opened", window: { amount: 1, unit: "days" } }),
      "opened a message by email in the last day",
    ],
    [
      message({ channel: "push", did: "clicked", count: { op: "gte", value: 3 } }),
      "clicked at least 3 messages by push",
    ],
    [message({ campaigns: [cmp("b"), cmp("a")] }), `received a message of ${cmp("a")}, ${cmp("b")}`],
    [
      message({ campaigns: [..."abcdef"].map(cmp), count: { op: "lt", value: 2 } }),
      `received fewer than 2 messages of ${[..."abcde"].map(cmp).join(", ")} and 1 more`,
    ],
    [{ kind: "not", child: message({}) }, "not (received a message)"],
    [{ kind: "not", child: paid }, "not (performed paid)"],
    [{ kind: "not", child: group("any", paid, left) }, "not (performed paid or performed left)"],
    [group("all", pro, paid), 'trait plan is "pro" and performed paid'],
    [group("any", pro, paid), 'trait plan is "pro" or performed paid'],
    [
      group("all", pro, group("any", paid, left)),
      'trait plan is "pro" and (performed paid or performed left)',
    ],
    [
      group("any", group("all", pro, paid), left),
      '(trait plan is "pro" and performed paid) or performed left',
    ],
    [
      group("all", group("all", pro, paid), left),
      'trait plan is "pro" and performed paid and performed left',
    ],
    [group("any", group("all", pro), left), 'trait plan is "pro" or performed left'],
    [
      group("any", pro, group("any", group("all", paid, left))),
      'trait plan is "pro" or (performed paid and performed left)',
    ],
    [
      group("all", { kind: "not", child: group("all", paid, left) }, pro),
      'not (performed paid and performed left) and trait plan is "pro"',
    ],
  ];
  for (const [root, words] of cases)
    it(words, () => assert.equal(describeExpression(parse(root)).summary, words));
});

describe("describeAudience", () => {
  const expression = parse(event("paid"));
  const described = { ...describeExpression(expression), reason: null };
  const cases: [string, StoredAudience, unknown][] = [
    ["everyone", { kind: "all", reason: "news" }, { kind: "all", reason: "news" }],
    [
      "an expression",
      { kind: "expression", audienceVersionId: "aud_1", expression, reason: "why", legacy: false },
      { kind: "expression", audienceVersionId: "aud_1", ...described, reason: "why", legacy: false },
    ],
    [
      "the flat form",
      { kind: "expression", expression, legacy: true },
      { kind: "expression", audienceVersionId: null, ...described, legacy: true },
    ],
    [
      "a segment",
      { kind: "segment", audienceVersionId: "aud_1", segmentId: "seg_1", segmentVersion: 3, expression },
      {
        kind: "segment",
        audienceVersionId: "aud_1",
        segmentId: "seg_1",
        segmentKey: "vips",
        segmentVersion: 3,
        ...described,
      },
    ],
  ];
  for (const [name, stored, audience] of cases) {
    it(`shows ${name}`, () => {
      const shown = describeAudience(stored, stored.kind === "segment" ? "vips" : null);
      assert.deepEqual(shown.audience, audience);
      assert.deepEqual(Audience.parse(shown.audience), audience);
      assert.deepEqual(
        shown.targeting,
        stored.kind === "expression" && stored.legacy ? { events: { seen: ["paid"] } } : null,
      );
    });
  }
});
