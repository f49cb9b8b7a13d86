import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decisionOf, exchangeOf, isMerelySaid, reasonOf, usdOf } from "../src/features/agent/rules.ts";

describe("a run", () => {
  it("is a decision only where it has a snapshot, a policy and an action", () => {
    const input = { policy: "statistical@1", snapshot: { version: 1 } };
    const output = { decision: { action: "nothing" } };
    assert.deepEqual(decisionOf({ input, output }), {
      ...{ policy: "statistical@1", action: "nothing", snapshot: { version: 1 } },
    });
    for (const [seen, done] of [
      [null, output],
      [[], output],
      [{ policy: "x" }, output],
      [input, null],
      [input, { decision: "nothing" }],
      [input, { decision: { action: 1 } }],
    ] as const)
      assert.equal(decisionOf({ input: seen as typeof input, output: done as typeof output }), null);
  });
});

it("names what the reason of a run names, as far as it is known", () => {
  const uuid = "01a175be-cc1f-72fb-b586-75a9c3ff895f";
  const gone = `var_${uuid.replace("01a1", "01a2")}`;
  const references = {
    goals: { [`goal_${uuid}`]: "Orders" },
    campaigns: { [`cmp_${uuid}`]: "Breakfast" },
    variants: { [`var_${uuid}`]: "Promise" },
  };
  const rationale = `var_${uuid} of cmp_${uuid} beats ${gone} for goal_${uuid}.`;
  assert.equal(reasonOf({ rationale }, references), `Promise of Breakfast beats ${gone} for Orders.`);
  assert.equal(reasonOf({ rationale: null }, references), null);
  assert.equal(reasonOf({ rationale }, { goals: {}, campaigns: {} }), rationale);
});

describe("an exchange with a model", () => {
  const hash = "0".repeat(64);

  it("shows what was asked last, and the answer with the tools that it called", () => {
    const request = {
      messages: [
        { role: "system", content: "Rules" },
        { role: "user", content: [{ type: "text", text: "Now?" }] },
      ],
    };
    const response = {
      choices: [{ message: { role: "assistant", content: null, tool_calls: [{ name: "decide" }] } }],
    };
    assert.deepEqual(exchangeOf({ request, response, hash }), {
      asked: { role: "user", text: '[{"type":"text","text":"Now?"}]' },
      answered: { role: "assistant", text: '[{"name":"decide"}]' },
    });
  });

  it("shows nothing of what is no chat", () => {
    for (const [request, response] of [
      [{}, {}],
      [{ messages: "x" }, { choices: [] }],
      [{ messages: [1] }, { choices: [{ message: "x" }] }],
    ])
      assert.deepEqual(exchangeOf({ request: request ?? {}, response: response ?? {}, hash }), {
        ...{ asked: null, answered: null },
      });
  });
});

it("micro-USD are USD", () => {
  assert.equal(usdOf(18_100), 0.0181);
});

it("is merely said where a program logged what Tidings writes itself", () => {
  const cases: [string, Parameters<typeof isMerelySaid>[0]["writtenBy"], boolean][] = [
    ["approval", "agent", true],
    ["launch", "api", true],
    ["approval", "tidings", false],
    ["approval", "import", false],
    ["approval", null, false],
    ["evaluate", "agent", false],
  ];
  for (const [kind, writtenBy, said] of cases)
    assert.equal(isMerelySaid({ kind, writtenBy }), said, `${kind} ${writtenBy}`);
});
