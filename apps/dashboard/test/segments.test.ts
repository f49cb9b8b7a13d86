import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wordOps } from "@tidings/client/word-ops";
import {
  draftFromSegment,
  keyOf,
  newSegmentDraft,
  renameDraft,
  ruleOf,
  type Segment,
  segmentBody,
  segmentPatch,
} from "../src/features/segments/rules.ts";
import { isCauseIn, nodeParts, observedOf } from "../src/ui/audience/observed.pure.ts";
import { describeCondition, nodeAt } from "../src/ui/audience/sentences.pure.ts";
import { type Expression, leafPlaces, type Node } from "../src/ui/audience/tree.pure.ts";
import { opsInWords, textsOf } from "../src/ui/texts/ops-in-words.pure.ts";

const onPlan = (plan: string): Node => ({
  kind: "field",
  field: { kind: "trait", key: "plan" },
  op: "eq",
  value: plan,
});
const expression = (root: Node): Expression => ({ version: 1, root });

const segment: Segment = {
  id: "seg_1",
  key: "vips",
  name: "VIPs",
  description: null,
  status: "active",
  currentVersion: 3,
  currentAudienceVersionId: "aud_1",
  summary: "",
  createdBy: "api",
  createdAt: 0,
  updatedAt: 0,
  schemaVersion: 1,
  expression: expression(onPlan("pro")),
  expressionHash: "",
  reason: null,
};

describe("the key of a segment", () => {
  it("follows the name until it is typed, as the server takes keys", () => {
    assert.equal(keyOf("  On the Pro plan! "), "on-the-pro-plan");
    assert.equal(keyOf("Über 50 % (Käufer)"), "uber-50-kaufer");
    assert.equal(keyOf("日本"), "");
    assert.equal(keyOf(`${"a".repeat(63)} b`), "a".repeat(63));
    assert.equal(renameDraft(newSegmentDraft(), "New one").key, "new-one");
    assert.equal(renameDraft({ ...newSegmentDraft(), key: "own", isOwnKey: true }, "New one").key, "own");
  });
});

describe("a draft of a segment", () => {
  it("is a request of what is written, and of no empty texts", () => {
    const draft = { ...renameDraft(newSegmentDraft(), "On pro"), expression: expression(onPlan("pro")) };
    const { expression: rule } = draft;
    assert.deepEqual(segmentBody(draft, rule), { key: "on-pro", name: "On pro", expression: rule });
    assert.deepEqual(segmentBody({ ...draft, description: "d", reason: "r" }, rule), {
      key: "on-pro",
      name: "On pro",
      expression: rule,
      description: "d",
      reason: "r",
    });
  });

  it("changes a rule against the version that it began with, and a name alone without one", () => {
    const draft = draftFromSegment(segment);
    assert.equal(segmentPatch(draft, draft.expression, segment), null);
    assert.deepEqual(segmentPatch({ ...draft, name: "Best", reason: "r" }, draft.expression, segment), {
      name: "Best",
    });
    const rule = expression(onPlan("team"));
    assert.deepEqual(segmentPatch({ ...draft, reason: "r" }, rule, { ...segment, currentVersion: 4 }), {
      expression: rule,
      expectedVersion: 3,
      reason: "r",
    });
  });

  it("has the rule that its text says, or says why there is none", () => {
    const draft = newSegmentDraft();
    assert.deepEqual(ruleOf(draft), { rule: draft.expression });
    assert.deepEqual(ruleOf({ ...draft, json: '\ufeff{"version": 1}' }), { rule: { version: 1 } });
    assert.ok("fault" in ruleOf({ ...draft, json: "{" }));
  });
});

describe("a rule in the words of the builder", () => {
  const event: Node = {
    kind: "event",
    event: "paid",
    count: { op: "gte", value: 2 },
    window: { amount: 7, unit: "days" },
    where: [{ kind: "field", field: { kind: "event_property", key: "amount" }, op: "gt", value: 50 }],
  };
  const root: Node = {
    kind: "all",
    children: [onPlan("pro"), { kind: "not", child: { kind: "any", children: [event] } }],
  };

  it("says each condition", () => {
    assert.equal(describeCondition(onPlan("pro"), {}), "plan is “pro”");
    assert.equal(
      describeCondition(event, {}),
      "paid at least 2 times within the last 7 days, where amount is more than 50",
    );
    assert.equal(describeCondition({ kind: "event", event: "left" }, {}), "left at least once at any time");
    const seen: Node = { kind: "field", field: { kind: "user", field: "lastSeenAt" }, op: "exists" };
    assert.equal(describeCondition(seen, {}), "Last seen is there");
  });

  it("says what users did with messages, with the names of campaigns as far as they are known", () => {
    const sentence = (node: object, names = {}): string =>
      describeCondition({ kind: "message", did: "received", ...node }, names);
    const window = { amount: 7, unit: "days" };
    assert.equal(sentence({}), "received a message at any time");
    assert.equal(
      sentence({ did: "opened", campaigns: ["cmp_1"], channel: "email", window }, { cmp_1: "Spring sale" }),
      "opened a message of “Spring sale” by email within the last 7 days",
    );
    assert.equal(
      sentence({ did: "clicked", campaigns: ["cmp_1", "cmp_2"], channel: "push" }, { cmp_2: "May" }),
      "clicked a message of cmp_1, “May” by push at any time",
    );
    const many = Array.from({ length: 7 }, (_, index) => `cmp_${index}`);
    assert.match(
      sentence({ campaigns: many }),
      / of cmp_0, cmp_1, cmp_2, cmp_3, cmp_4 and 2 more at any time$/,
    );
    assert.equal(
      sentence({ did: "dismissed", channel: "web_inapp", count: { op: "lt", value: 2 } }),
      "dismissed fewer than 2 messages in the page at any time",
    );
    assert.equal(
      sentence({ count: { op: "eq", value: 1 }, window }),
      "received exactly 1 message within the last 7 days",
    );
  });

  it("finds the part at a place of the server, and knows the places of all conditions", () => {
    assert.deepEqual(leafPlaces(root), ["/root/children/0", "/root/children/1/child/children/0"]);
    assert.equal(nodeAt(expression(root), "/root"), root);
    assert.equal(nodeAt(expression(root), "/root/children/1/child/children/0"), event);
    for (const place of ["/root/children/7", "/root/children/0/child", "/root/child/child"])
      assert.equal(nodeAt(expression(root), place), null, place);
  });
});

it("a text of the server is compared word by word as people read it: with names for ids, of which only a part changed", () => {
  const [one, other] = ["cmp_0190aaaa-0000", "cmp_0190bbbb-0000"];
  const ops = wordOps(`opened a message of ${one}`, `opened a message of ${other}`);
  const named = opsInWords(ops, (text) => text.replace(one, '"Spring sale"').replace(other, '"May"'));
  assert.deepEqual(textsOf(named), ['opened a message of "Spring sale"', 'opened a message of "May"']);
  assert.deepEqual(
    named.filter(({ op }) => op !== "keep").map(({ words }) => words),
    ["Spring sale", "May"],
  );
  assert.equal(
    opsInWords(ops, (text) => text),
    ops,
    "without names it is as the server says it",
  );
});

it("what a condition saw of a user is shown with its type and its hint", () => {
  const seen = { path: "/root", matched: false, kind: "field", observed: "3", observedType: "string" };
  assert.deepEqual(observedOf({ ...seen, note: "It is a string." }), {
    value: "3",
    type: "string",
    note: "It is a string.",
  });
  assert.deepEqual(observedOf({ ...seen, observed: null, observedType: "array" }), {
    value: null,
    type: "array",
    note: null,
  });
  assert.equal(observedOf({ path: "/root", matched: true, kind: "all" }), null);
  const [met, missed] = [
    { path: "/root/children/0", matched: true, kind: "field" },
    { path: "/root/children/1", matched: false, kind: "field" },
  ];
  const all = { path: "/root", matched: false, kind: "all", children: [met, missed] };
  const not = { path: "/root", matched: false, kind: "not", child: met };
  assert.deepEqual(
    [nodeParts(all).map((part) => isCauseIn(all, part)), nodeParts(not).map((part) => isCauseIn(not, part))],
    [[false, true], [false]],
  );
  assert.deepEqual(nodeParts(met), []);
});
