import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Capabilities,
  compared,
  type Expression,
  expressionOf,
  type FieldNode,
  type GroupNode,
  groupOf,
  listOf,
  type Node,
  newField,
  nodeOf,
  type Operator,
  operandOf,
  operatorsFor,
  placeOf,
  plainOf,
  valueFor,
  withChild,
} from "../src/ui/audience/tree.pure.ts";

const leaves = fc
  .nat(5)
  .map((key): Node => ({ kind: "field", field: { kind: "trait", key: `t${key}` }, op: "exists" }));
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

/** Whether a user with these traits is meant. */
function holds(node: Node, traits: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case "all":
      return node.children.every((child) => holds(child, traits));
    case "any":
      return node.children.some((child) => holds(child, traits));
    case "not":
      return !holds(node.child, traits);
    case "field":
      return node.field.kind === "trait" && traits.has(node.field.key);
    case "event":
      return false;
  }
}

const users = fc.uniqueArray(fc.nat(5).map((key) => `t${key}`)).map((keys) => new Set(keys));

/** The part of an expression at a JSON pointer. */
const at = (expression: Expression, place: string): unknown =>
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
        assert.equal(holds(nodeOf({ isNot, node }), traits), holds(root, traits));
        assert.notEqual(node.kind as string, "not");
        const shown = expressionOf(groupOf(expression));
        assert.equal(holds(shown.root, traits), holds(root, traits));
        assert.deepEqual(expressionOf(groupOf(shown)), shown, "looking at it changes nothing");
      }),
    );
  });

  it("has each member where the server says that it lies", () => {
    const check = (expression: Expression, group: GroupNode, place: string, isRoot: boolean): void => {
      for (const [index, child] of group.children.entries()) {
        const { node } = plainOf(child);
        const where = placeOf(place, child, index, isRoot && group.children.length === 1);
        assert.deepEqual(at(expression, where), node);
        if (node.kind === "all" || node.kind === "any") check(expression, node, where, false);
      }
    };
    fc.assert(
      fc.property(nodes, (root) => {
        const expression = expressionOf(groupOf({ version: 1, root }));
        check(expression, groupOf(expression), "/root", true);
      }),
    );
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
    },
  },
} as unknown as Capabilities;

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
});
