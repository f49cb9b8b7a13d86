import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeRunReason, exchangeOf, isMerelyReported, usdOf } from "../src/features/agent/rules.ts";
import { storyOf } from "../src/features/agent/story.pure.ts";

describe("the story of a run", () => {
  const variant = (id: string, isControl: boolean, weight: number) => ({
    id,
    isControl,
    weight,
    pending: { exposedUsers: 2, convertedUsers: 0 },
    matured: { exposedUsers: 40, convertedUsers: 10 },
    comparison: isControl ? null : { verdict: "better" },
  });
  const snapshot = {
    version: 1,
    takenAt: 5,
    goal: { targetEvent: "paid", attributionDays: 3 },
    sampleRatio: { mismatch: false },
    variants: [variant("a", true, 1), variant("b", false, 3)],
  };
  const sentencesOf = (decision: unknown, seen: unknown = snapshot) =>
    storyOf({ input: { policy: "statistical@1", snapshot: seen }, output: { decision } });

  it("tells what was seen of each variant, and its share of the users before and after", () => {
    const counts = { users: 40, converted: 10, pending: 2 };
    const mutation = { type: "update", variants: [{ id: "b", weight: 1, message: { title: "Now" } }] };
    assert.deepEqual(sentencesOf({ action: "update", mutation }), {
      policy: "statistical@1",
      action: "update",
      takenAt: 5,
      isSplitBroken: false,
      targetEvent: "paid",
      attributionDays: 3,
      variants: [
        {
          id: "a",
          isControl: true,
          counts,
          verdict: null,
          isRewritten: false,
          share: { before: 0.25, after: 0.5 },
        },
        {
          id: "b",
          isControl: false,
          counts,
          verdict: "better",
          isRewritten: true,
          share: { before: 0.75, after: 0.5 },
        },
      ],
    });
    const kept = sentencesOf({ action: "nothing", mutation: null });
    assert.deepEqual(kept?.variants[0]?.share, { before: 0.25, after: 0.25 });
  });

  it("is told only of a decision, and believes nothing that has another form", () => {
    const decision = { action: "nothing", mutation: null };
    for (const [input, output] of [
      [null, { decision }],
      [[], { decision }],
      [{ policy: "x" }, { decision }],
      [{ policy: 1, snapshot }, { decision }],
      [{ policy: "x", snapshot }, null],
      [{ policy: "x", snapshot }, { decision: "nothing" }],
      [{ policy: "x", snapshot }, { decision: { action: 1 } }],
    ])
      assert.equal(storyOf({ input, output }), null);
    const odd = {
      variants: [1, null, { id: 2, weight: 1 }, { id: "a", weight: "1" }, { id: "c", weight: 0 }],
    };
    assert.deepEqual(sentencesOf({ action: "x", mutation: { variants: "no" } }, odd)?.variants, [
      {
        id: "c",
        isControl: false,
        counts: null,
        verdict: null,
        isRewritten: false,
        share: { before: 0, after: 0 },
      },
    ]);
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
  assert.equal(
    describeRunReason({ rationale }, references),
    `Promise of Breakfast beats ${gone} for Orders.`,
  );
  assert.equal(describeRunReason({ rationale: null }, references), null);
  assert.equal(describeRunReason({ rationale }, { goals: {}, campaigns: {} }), rationale);
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
      question: { role: "user", text: '[{"type":"text","text":"Now?"}]' },
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
        question: null,
        answered: null,
      });
  });
});

it("micro-USD are USD", () => {
  assert.equal(usdOf(18_100), 0.0181);
});

it("is merely said where a program logged what Tidings writes itself", () => {
  const cases: [string, Parameters<typeof isMerelyReported>[0]["writtenBy"], boolean][] = [
    ["approval", "agent", true],
    ["launch", "api", true],
    ["approval", "tidings", false],
    ["approval", "import", false],
    ["approval", null, false],
    ["evaluate", "agent", false],
  ];
  for (const [kind, writtenBy, isReported] of cases)
    assert.equal(isMerelyReported({ kind, writtenBy }), isReported, `${kind} ${writtenBy}`);
});
