import type {
  AudienceExpression,
  AudienceNode,
  CountingNode,
  EventNode,
  FieldNode,
  FieldRef,
  MessageNode,
  OperatorComparison,
  WhereNode,
} from "./schema.ts";

/** Nodes of a tree, groups and `where` conditions included. */
export function countNodes(node: AudienceNode): number {
  switch (node.kind) {
    case "all":
    case "any":
      return node.children.reduce((sum, child) => sum + countNodes(child), 1);
    case "not":
      return 1 + countNodes(node.child);
    case "field":
    case "message":
      return 1;
    case "event":
      return 1 + (node.where?.length ?? 0);
  }
}

/** Whether a tree lists the ids of all users whom it may match: then there are few, and their rows are found by their keys. */
export function listsItsUsers(node: AudienceNode): boolean {
  switch (node.kind) {
    case "all":
      return node.children.some(listsItsUsers);
    case "any":
      return node.children.every(listsItsUsers);
    case "field":
      return (
        node.field.kind === "user" && node.field.field === "id" && (node.op === "eq" || node.op === "in")
      );
    default:
      return false;
  }
}

/** Turns minus zero into zero, which is equal but would be hashed differently. */
const plain = (value: number): number => (value === 0 ? 0 : value);

const isTexts = (members: readonly (string | number)[]): members is string[] =>
  typeof members[0] === "string";

/** Members of a list, each once, in order: texts by their UTF-16 units. */
function canonicalMembers(members: string[] | number[]): string[] | number[] {
  if (isTexts(members)) return [...new Set(members)].sort();
  return [...new Set(members.map(plain))].sort((a, b) => a - b);
}

function canonicalComparison(comparison: OperatorComparison): OperatorComparison {
  switch (comparison.op) {
    case "exists":
    case "not_exists":
      return { op: comparison.op };
    case "in":
    case "not_in":
      return { op: comparison.op, value: canonicalMembers(comparison.value) };
    case "within_last":
    case "not_within_last":
    case "within_next":
    case "not_within_next": {
      const { amount, unit } = comparison.value;
      return { op: comparison.op, value: { amount, unit } };
    }
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return { op: comparison.op, value: plain(comparison.value) };
    case "eq":
    case "neq": {
      const { op, value } = comparison;
      return { op, value: typeof value === "number" ? plain(value) : value };
    }
    default:
      return { op: comparison.op, value: comparison.value };
  }
}

function canonicalRef<Ref extends FieldRef>(ref: Ref): Ref;
function canonicalRef(ref: FieldRef): FieldRef {
  return ref.kind === "user" ? { kind: "user", field: ref.field } : { kind: ref.kind, key: ref.key };
}

const canonicalField = <Node extends FieldNode | WhereNode>(node: Node) => ({
  kind: "field" as const,
  field: canonicalRef<Node["field"]>(node.field),
  ...canonicalComparison(node),
});

function canonicalEvent({ event, count, window, where }: EventNode): EventNode {
  return {
    kind: "event",
    event,
    count: { op: count.op, value: plain(count.value) },
    ...(window === undefined ? {} : { window: { amount: window.amount, unit: window.unit } }),
    ...(where === undefined ? {} : { where: where.map(canonicalField) }),
  };
}

const canonicalMessage = ({ did, campaigns, channel, count, window }: MessageNode): MessageNode => ({
  kind: "message",
  did,
  ...(campaigns === undefined ? {} : { campaigns: [...new Set(campaigns)].sort() }),
  ...(channel === undefined ? {} : { channel }),
  count: { op: count.op, value: plain(count.value) },
  ...(window === undefined ? {} : { window: { amount: window.amount, unit: window.unit } }),
});

function canonicalNode(node: AudienceNode): AudienceNode {
  switch (node.kind) {
    case "all":
    case "any":
      return { kind: node.kind, children: node.children.map(canonicalNode) };
    case "not":
      return { kind: "not", child: canonicalNode(node.child) };
    case "field":
      return canonicalField(node);
    case "event":
      return canonicalEvent(node);
    case "message":
      return canonicalMessage(node);
  }
}

/**
 * The one spelling of an expression: keys in a fixed order, lists sorted and without duplicates, zero without a sign.
 * Children keep their order. Its JSON is what is hashed.
 */
export const canonical = (expression: AudienceExpression): AudienceExpression => ({
  version: 1,
  root: canonicalNode(expression.root),
});

/** Visits every condition of a tree, in order, with its path from the root of the expression. */
export function visitLeaves(
  node: AudienceNode,
  visit: (leaf: FieldNode | CountingNode, path: readonly (string | number)[]) => void,
  path: readonly (string | number)[] = ["root"],
): void {
  if (node.kind === "not") visitLeaves(node.child, visit, [...path, "child"]);
  else if ("children" in node)
    for (const [index, child] of node.children.entries())
      visitLeaves(child, visit, [...path, "children", index]);
  else visit(node, path);
}

/** The names of traits and events in an expression, each once, in order of appearance. */
export function referencesOf({ root }: AudienceExpression): { traits: string[]; events: string[] } {
  const traits = new Set<string>();
  const events = new Set<string>();
  visitLeaves(root, (leaf) => {
    if (leaf.kind === "event") events.add(leaf.event);
    else if (leaf.kind === "field" && leaf.field.kind === "trait") traits.add(leaf.field.key);
  });
  return { traits: [...traits], events: [...events] };
}
