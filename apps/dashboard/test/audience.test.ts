import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type AudienceCapabilities,
  blankPlaces,
  byChannel,
  campaignsOf,
  compared,
  conditionsOf,
  deedsOf,
  type Expression,
  type FieldNode,
  type GroupNode,
  groupExpression,
  leafPlaces,
  listOf,
  type MessageNode,
  memberPointer,
  type Node,
  newEvent,
  newField,
  newMessage,
  newWhere,
  nodeOf,
  type Operator,
  ofCampaigns,
  operandOf,
  operatorsFor,
  plainOf,
  textOfList,
  toGroup,
  valueFor,
  withChild,
  within,
} from "../src/ui/audience/tree.pure.ts";

/** The most members of a list, in these tests. */
const MAX = 4;
const SOME_IDS = fc.uniqueArray(fc.nat(40).map(String), { minLength: 1, maxLength: 3 * MAX });

const leaves = fc.oneof(
  fc.nat(5).map((key): Node => ({ kind: "field", field: { kind: "trait", key: `t${key}` }, op: "exists" })),
  fc.tuple(fc.constantFrom("in" as const, "not_in" as const), SOME_IDS).map(
    ([op, value]): Node => ({
      kind: "field",
      field: { kind: "user", field: "id" },
      op,
      value,
    }),
  ),
);
const { node: nodes } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaves,
    tie("node").map((child): Node => ({ kind: "not", child })),
    fc
      .tuple(
        fc.constantFrom("all" as const, "any" as const),
        fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
      )
      .map(([kind, children]): Node => ({ kind, children })),
  ),
}));

/** Whether a user with these traits is meant; one of the traits is the id as well. */
function matches(node: Node, traits: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case "all":
      return node.children.every((child) => matches(child, traits));
    case "any":
      return node.children.some((child) => matches(child, traits));
    case "not":
      return !matches(node.child, traits);
    case "field": {
      if (node.field.kind === "trait") return traits.has(node.field.key);
      const [id = ""] = traits;
      return (node.value as string[]).includes(id) === (node.op === "in");
    }
    case "event":
    case "message":
      return false;
  }
}

const users = fc
  .tuple(fc.nat(40).map(String), fc.uniqueArray(fc.nat(5).map((key) => `t${key}`)))
  .map(([id, keys]) => new Set([id, ...keys]));

/** How many members the longest list of an expression has. */
function longest(node: Node): number {
  if (node.kind === "not") return longest(node.child);
  if (node.kind === "all" || node.kind === "any") return Math.max(...node.children.map(longest));
  return node.kind === "field" && Array.isArray(node.value) ? node.value.length : 0;
}

/** The part of an expression at a JSON pointer. */
const partAt = (expression: Expression, place: string): unknown =>
  place
    .split("/")
    .slice(1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], expression);

describe("an audience in the builder", () => {
  it("is for the same users as the expression that it shows", () => {
    fc.assert(
      fc.property(nodes, users, (root, traits) => {
        const expression: Expression = { version: 1, root };
        const { isNot, node } = plainOf(root);
        assert.equal(matches(nodeOf({ isNot, node }), traits), matches(root, traits));
        assert.notEqual(node.kind as string, "not");
        const shown = groupExpression(toGroup(expression, MAX), MAX);
        assert.equal(matches(shown.root, traits), matches(root, traits));
        assert.ok(longest(shown.root) <= MAX, "no list is longer than the server takes it");
        assert.deepEqual(groupExpression(toGroup(shown, MAX), MAX), shown, "looking at it changes nothing");
      }),
    );
  });

  it("has each member where the server says that it lies", () => {
    const check = (expression: Expression, group: GroupNode, place: string, isRoot: boolean): void => {
      for (const [index, child] of group.children.entries()) {
        const { node } = plainOf(child);
        const where = memberPointer(place, child, index, isRoot && group.children.length === 1);
        assert.deepEqual(partAt(expression, where), node);
        if (node.kind === "all" || node.kind === "any") check(expression, node, where, false);
      }
    };
    fc.assert(
      fc.property(nodes, (root) => {
        const expression = groupExpression(toGroup({ version: 1, root }, 100), 100);
        check(expression, toGroup(expression, 100), "/root", true);
      }),
    );
  });

  it("shows a list that is too long for one condition as one, as it was written", () => {
    for (const [op, kind] of [
      ["in", "any"],
      ["not_in", "all"],
    ] as const) {
      const value = Array.from({ length: 10 }, (_, index) => `u${index}`);
      const field: Node = { kind: "field", field: { kind: "user", field: "id" }, op, value };
      for (const group of [
        { kind: "all", children: [field] },
        { kind: "any", children: [newEvent(), { kind: "not", child: field }] },
      ] satisfies GroupNode[])
        assert.deepEqual(toGroup(groupExpression(group, MAX), MAX), group);
      const parts = [value.slice(0, 4), value.slice(4, 8), value.slice(8)];
      const children = parts.map((part): Node => ({ ...field, value: part }));
      assert.deepEqual(groupExpression({ kind: "all", children: [field] }, MAX).root, { kind, children });
      // What a person built of several conditions stays several.
      for (const built of [children.slice(1, 2), [...children.slice(2), ...children.slice(0, 1)]]) {
        const group: GroupNode = { kind, children: [...built, newField()] };
        assert.deepEqual(toGroup({ version: 1, root: group }, MAX), group);
      }
    }
  });

  it("knows the conditions in which nothing was written yet, where the server says that they lie", () => {
    const event: Node = {
      ...newEvent(),
      event: "paid",
      where: [{ ...newWhere(), op: "exists" }, newWhere()],
    };
    const written: Node = { ...newField(), op: "gt" };
    const root: Node = {
      kind: "all",
      children: [newField(), written, { kind: "not", child: newEvent() }, event],
    };
    assert.deepEqual(blankPlaces(root), [
      "/root/children/0",
      "/root/children/2/child",
      "/root/children/3/where/1",
    ]);
    assert.deepEqual(blankPlaces(newField()), leafPlaces(newField()));
  });

  it("replaces and removes members, and leaves the others", () => {
    const [a, b, c] = ["a", "b", "c"].map(
      (key): FieldNode => ({ ...newField(), field: { kind: "trait", key } }),
    ) as [FieldNode, FieldNode, FieldNode];
    const group: GroupNode = { kind: "any", children: [a, b] };
    assert.deepEqual(withChild(group, 1, c).children, [a, c]);
    assert.deepEqual(withChild(group, 0, null).children, [b]);
  });
});

const ALL = {
  expression: {
    operators: {
      string: ["exists", "eq", "in", "contains"],
      number: ["exists", "eq", "in", "gt"],
      boolean: ["exists", "eq"],
      datetime: ["exists", "before", "within_last"],
      id: ["eq", "in"],
    },
    messageDeeds: {
      web_inapp: ["received", "clicked", "dismissed"],
      email: ["received", "opened", "clicked"],
      push: ["received", "opened", "clicked"],
    },
  },
} as unknown as AudienceCapabilities;

describe("a condition", () => {
  it("offers the operators of what users have shown, and all where they have shown nothing", () => {
    const plan: FieldNode["field"] = { kind: "trait", key: "plan" };
    assert.deepEqual(operatorsFor(plan, { number: 3 }, ALL), ["exists", "eq", "in", "gt"]);
    assert.deepEqual(operatorsFor(plan, { number: 3, boolean: 1 }, ALL), ["exists", "eq", "in", "gt"]);
    assert.deepEqual(operatorsFor(plan, undefined, ALL), ["exists", "eq", "in", "contains", "gt"]);
    assert.deepEqual(operatorsFor({ kind: "user", field: "firstSeenAt" }, undefined, ALL), [
      "exists",
      "before",
      "within_last",
    ]);
    assert.deepEqual(operatorsFor({ kind: "user", field: "id" }, { string: 1 }, ALL), ["eq", "in"]);
  });

  it("begins an operator with a value that fits it, and keeps the one before where it does", () => {
    const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
      none: (value) => value === undefined,
      number: (value) => typeof value === "number" || value === "",
      instant: (value) => typeof value === "string",
      window: (value) => typeof value === "object" && value !== null && "amount" in value,
      list: Array.isArray,
      text: (value) => typeof value === "string",
      value: (value) => ["string", "number", "boolean"].includes(typeof value),
    };
    const operators = ["eq", "in", "contains", "gt", "exists", "before", "within_last"] as const;
    const befores = ["pro", 7, true, ["a"], { amount: 2, unit: "hours" as const }, undefined];
    for (const op of operators)
      for (const before of befores) {
        const value = valueFor(op, before, undefined);
        assert.ok(fits[operandOf(op)]?.(value), `${op} ${JSON.stringify(before)}`);
        assert.deepEqual(valueFor(op, value, undefined), value);
      }
    assert.equal(valueFor("eq", undefined, { boolean: 4 }), true);
    const node = compared(newField(), "exists" satisfies Operator, undefined);
    assert.ok(!("value" in node));
  });

  it("reads a list as numbers where its field has nothing but numbers", () => {
    assert.deepEqual(listOf("1, 2,", { number: 9 }), [1, 2]);
    assert.deepEqual(listOf("1, 2", { number: 9, string: 1 }), ["1", "2"]);
    assert.deepEqual(listOf("pro, team plan ,", undefined), ["pro", "team plan"]);
  });

  it("reads what is pasted: lines, cells of a table, and lines with commas at their ends", () => {
    const three = ["a1", "B2", "007"];
    for (const text of [
      "a1\nB2\n007",
      "a1\r\nB2\r\n\r\n007\r\n",
      " a1\tB2\t007",
      "a1,\nB2,\n007,",
      "a1,\nB2,\n007",
    ])
      assert.deepEqual(listOf(text, { string: 1 }), three, JSON.stringify(text));
    assert.deepEqual(listOf("Vienna, AT\nBerlin, DE", undefined), ["Vienna, AT", "Berlin, DE"]);
    const hundred = Array.from({ length: 100 }, (_, index) => `user-${index}`);
    assert.deepEqual(listOf(hundred.join("\n"), { string: 1 }), hundred);
  });

  it("shows a list as a text that is read as the same list", () => {
    const member = fc
      .string()
      .filter((text) => text !== "" && text === text.trim() && !/[\r\n\t]|,$/.test(text));
    fc.assert(
      fc.property(fc.array(member), (members) => {
        assert.deepEqual(listOf(textOfList(members), undefined), members);
      }),
    );
  });

  it("keeps of a value what fits another field: ids are texts", () => {
    const ids = { string: 1 };
    assert.equal(valueFor("eq", 7, ids), "");
    assert.equal(valueFor("eq", "7", ids), "7");
    assert.deepEqual(valueFor("in", [7, 8], ids), ["7", "8"]);
  });
});

describe("a condition on messages", () => {
  it("is whole as it is made, and one condition wherever it stands", () => {
    const root: Node = { kind: "any", children: [newMessage(), { kind: "not", child: newMessage() }] };
    assert.deepEqual(blankPlaces(root), []);
    assert.deepEqual(leafPlaces(root), ["/root/children/0", "/root/children/1/child"]);
    assert.equal(conditionsOf(root), 2);
    assert.deepEqual(toGroup(groupExpression({ kind: "all", children: [newMessage()] }, MAX), MAX), {
      kind: "all",
      children: [newMessage()],
    });
  });

  it("offers what can be done in its channel, and is on that where the channel changes", () => {
    assert.deepEqual(deedsOf("email", ALL), ["received", "opened", "clicked"]);
    assert.deepEqual(deedsOf(undefined, ALL), ["received", "opened", "clicked", "dismissed"]);
    const dismissed: MessageNode = { ...newMessage(), did: "dismissed" };
    assert.deepEqual(byChannel(dismissed, "web_inapp", ALL), { ...dismissed, channel: "web_inapp" });
    const byEmail = byChannel(dismissed, "email", ALL);
    assert.deepEqual(byEmail, { ...newMessage(), channel: "email" });
    const opened: MessageNode = { ...byEmail, did: "opened", campaigns: ["cmp_1"] };
    assert.deepEqual(byChannel(opened, "push", ALL), { ...opened, channel: "push" });
    assert.deepEqual(byChannel(opened, "web_inapp", ALL), {
      ...newMessage(),
      campaigns: ["cmp_1"],
      channel: "web_inapp",
    });
    const anyhow = byChannel(opened, undefined, ALL);
    assert.deepEqual([anyhow.did, "channel" in anyhow], ["opened", false]);
  });

  it("leaves out the campaigns and the time where it is on any", () => {
    const some = ofCampaigns(newMessage(), ["cmp_1", "cmp_2"]);
    assert.deepEqual(some, { ...newMessage(), campaigns: ["cmp_1", "cmp_2"] });
    assert.deepEqual(ofCampaigns(some, []), newMessage());
    const window = { amount: 3, unit: "hours" } as const;
    const lately = within(some, window);
    assert.deepEqual(lately, { ...some, window });
    assert.deepEqual(within(lately, undefined), some);
    assert.deepEqual(within(newEvent(), undefined), newEvent());
  });

  it("names its campaigns, each once in an expression", () => {
    const root: Node = {
      kind: "all",
      children: [
        ofCampaigns(newMessage(), ["cmp_1", "cmp_2"]),
        { kind: "not", child: ofCampaigns(newMessage(), ["cmp_2", "cmp_3"]) },
        newField(),
        newMessage(),
      ],
    };
    assert.deepEqual(campaignsOf(root), ["cmp_1", "cmp_2", "cmp_3"]);
  });
});
