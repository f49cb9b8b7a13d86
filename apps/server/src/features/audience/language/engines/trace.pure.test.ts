import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diagnose } from "../parse/diagnose.pure.ts";
import { parseExpression } from "../parse/parse.pure.ts";
import { type AudienceExpression, Diagnostic } from "../schema.ts";
import { type CountedFacts, compile } from "./compile.pure.ts";
import { type TraceNode, trace } from "./trace.pure.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;

const parse = (root: unknown): AudienceExpression => {
  const parsed = parseExpression({ version: 1, root });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.expression;
};
const trait = (key: string, rest: object) => ({ kind: "field", field: { kind: "trait", key }, ...rest });
const traceOf = (root: unknown, facts: Partial<CountedFacts> = {}): TraceNode => {
  const expression = parse(root);
  const times = { firstSeenAt: null, lastSeenAt: null };
  const nothing = { externalId: "ada", traits: {}, ...times, eventCounts: {}, occurrences: [] };
  return trace(expression, compile(expression), { ...nothing, ...facts }, NOW);
};

describe("trace", () => {
  const week = { op: "within_last", value: { amount: 7, unit: "days" } };
  const cases: [object, unknown, unknown, string, string | undefined][] = [
    // condition, the value of the user, the shown value, its type, why it could not be compared
    [{ op: "eq", value: "pro" }, "pro", "pro", "string", undefined],
    [{ op: "eq", value: "pro" }, "free", "free", "string", undefined],
    [{ op: "eq", value: "pro" }, undefined, null, "absent", 'The user has no trait "plan".'],
    [{ op: "eq", value: "pro" }, null, null, "null", 'The trait "plan" is null, which counts as absent.'],
    [{ op: "eq", value: "5" }, 5, 5, "number", 'The trait "plan" is of type number; eq compares a string.'],
    [
      { op: "in", value: [1, 2] },
      "1",
      "1",
      "string",
      'The trait "plan" is of type string; in compares a number.',
    ],
    [
      { op: "neq", value: true },
      "x",
      "x",
      "string",
      'The trait "plan" is of type string; neq compares a boolean.',
    ],
    [
      { op: "gt", value: 5 },
      { a: 1 },
      null,
      "object",
      'The trait "plan" is of type object; gt compares a number.',
    ],
    [
      { op: "contains", value: "a" },
      ["a"],
      null,
      "array",
      'The trait "plan" is of type array; contains compares a string.',
    ],
    [{ op: "exists" }, [], null, "array", undefined],
    [{ op: "not_exists" }, undefined, null, "absent", undefined],
    [week, "soon", "soon", "string", 'The trait "plan" is not an ISO-8601 date-time with an offset.'],
    [week, 5, 5, "number", 'The trait "plan" is not an ISO-8601 date-time with an offset.'],
    [week, "2020-01-01T00:00Z", "2020-01-01T00:00Z", "string", undefined],
    [{ op: "eq", value: "x" }, "y".repeat(201), `${"y".repeat(200)}…`, "string", undefined],
    [{ op: "eq", value: "x" }, `${"y".repeat(199)}💥💥`, `${"y".repeat(199)}💥…`, "string", undefined],
    [{ op: "eq", value: "x" }, `${"y".repeat(198)}👩‍🚀`, `${"y".repeat(198)}…`, "string", undefined],
  ];
  for (const [comparison, value, observed, observedType, note] of cases) {
    it(`${JSON.stringify(comparison)} of ${JSON.stringify(value)?.slice(0, 30)}`, () => {
      const traits = value === undefined ? {} : { plan: value };
      const { path, kind, matched, ...rest } = traceOf(trait("plan", comparison), { traits });
      assert.deepEqual([path, kind], ["/root", "field"]);
      const { op } = comparison as { op: string };
      const field = { kind: "trait", key: "plan" };
      assert.deepEqual(rest, { field, op, observed, observedType, ...(note === undefined ? {} : { note }) });
      // A value that could not be compared did not match.
      if (note !== undefined) assert.equal(matched, false);
    });
  }

  it("shows the id of a user, who has one though nothing else is known", () => {
    const root = { kind: "field", field: { kind: "user", field: "id" }, op: "not_in", value: ["ada", "bo"] };
    const seen = { path: "/root", kind: "field", field: root.field, op: "not_in", observedType: "string" };
    assert.deepEqual(traceOf(root), { ...seen, matched: false, observed: "ada" });
    assert.deepEqual(traceOf(root, { externalId: "Ada" }), { ...seen, matched: true, observed: "Ada" });
  });

  it("says of a text that is no time that it is none, for every operator with a window", () => {
    for (const op of ["within_last", "not_within_last", "within_next", "not_within_next"]) {
      const found = traceOf(trait("plan", { ...week, op }), { traits: { plan: "2026-03-02" } });
      assert.ok(found.kind === "field" && !found.matched);
      assert.equal(found.note, 'The trait "plan" is not an ISO-8601 date-time with an offset.');
    }
  });

  it("shows a whole tree, down to every leaf", () => {
    const root = {
      kind: "all",
      children: [
        { kind: "field", field: { kind: "user", field: "lastSeenAt" }, ...week },
        { kind: "not", child: { kind: "any", children: [{ kind: "event", event: "left" }] } },
        { kind: "event", event: "paid", count: { op: "lt", value: 3 }, window: { amount: 2, unit: "days" } },
        { kind: "event", event: "toString" },
      ],
    };
    const facts = { lastSeenAt: NOW - DAY, eventCounts: { left: 20_000 }, occurrences: [2] };
    const event = { kind: "event", required: { op: "gte", value: 1 }, windowCutoff: null };
    assert.deepEqual(traceOf(root, facts), {
      path: "/root",
      kind: "all",
      matched: false,
      children: [
        {
          path: "/root/children/0",
          kind: "field",
          matched: true,
          field: { kind: "user", field: "lastSeenAt" },
          op: "within_last",
          observed: NOW - DAY,
          observedType: "datetime",
        },
        {
          path: "/root/children/1",
          kind: "not",
          matched: false,
          child: {
            path: "/root/children/1/child",
            kind: "any",
            matched: true,
            children: [
              {
                ...event,
                path: "/root/children/1/child/children/0",
                matched: true,
                event: "left",
                occurrences: 10_001,
              },
            ],
          },
        },
        {
          path: "/root/children/2",
          kind: "event",
          matched: true,
          event: "paid",
          occurrences: 2,
          required: { op: "lt", value: 3 },
          windowCutoff: NOW - 2 * DAY,
        },
        { ...event, path: "/root/children/3", matched: false, event: "toString", occurrences: 0 },
      ],
    });
  });
});

describe("diagnose", () => {
  const vocabulary = {
    traits: new Set(["plan", "seats"]),
    events: new Map([["paid", new Set(["total", "currency"])]]),
  };
  const property = (key: string) => ({ kind: "field", field: { kind: "event_property", key }, op: "exists" });

  it("says nothing of names that were seen", () => {
    const root = {
      kind: "all",
      children: [
        trait("plan", { op: "exists" }),
        { kind: "event", event: "paid", where: [property("total")] },
      ],
    };
    assert.deepEqual(diagnose(parse(root), vocabulary), []);
  });

  it("warns of every other one, where it stands, and of what may have been meant", () => {
    const root = {
      kind: "any",
      children: [
        trait("Plan", { op: "exists" }),
        { kind: "not", child: { kind: "event", event: "payed" } },
        { kind: "event", event: "paid", where: [property("total"), property("totl")] },
        trait("zzz", { op: "exists" }),
        { kind: "field", field: { kind: "user", field: "lastSeenAt" }, op: "exists" },
      ],
    };
    const found = diagnose(parse(root), vocabulary);
    for (const diagnostic of found) Diagnostic.parse(diagnostic);
    assert.deepEqual(
      found.map(({ severity, code, path, suggestions }) => [severity, code, path, suggestions]),
      [
        ["warning", "unobserved_trait", "/root/children/0/field/key", ["plan"]],
        ["warning", "unobserved_event", "/root/children/1/child/event", ["paid"]],
        ["warning", "unobserved_property", "/root/children/2/where/1/field/key", ["total"]],
        ["warning", "unobserved_trait", "/root/children/3/field/key", undefined],
      ],
    );
    assert.equal(found[1]?.message, 'No event "payed" was seen so far.');
  });
});
