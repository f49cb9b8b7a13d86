import type { AudienceExpression, AudienceNode } from "./schema.ts";

/** Nodes of a tree, groups included. */
export function countNodes(node: AudienceNode): number {
  if (node.kind === "all") return node.children.reduce((sum, child) => sum + countNodes(child), 1);
  return node.kind === "not" ? 1 + countNodes(node.child) : 1;
}

function canonicalNode(node: AudienceNode): AudienceNode {
  switch (node.kind) {
    case "all":
      return { kind: "all", children: node.children.map(canonicalNode) };
    case "not":
      return { kind: "not", child: canonicalNode(node.child) };
    case "field":
      return { kind: "field", field: { kind: "trait", key: node.field.key }, op: node.op, value: node.value };
    case "event":
      return { kind: "event", event: node.event, count: { op: node.count.op, value: node.count.value } };
  }
}

/** The one spelling of an expression: keys in a fixed order, counts filled in. Its JSON is what is hashed. */
export const canonical = (expression: AudienceExpression): AudienceExpression => ({
  version: 1,
  root: canonicalNode(expression.root),
});

/** An expression in words; for people, never parsed. */
export function summarize(node: AudienceNode): string {
  switch (node.kind) {
    case "all":
      return node.children.map(summarize).join(" and ");
    case "not":
      return `not (${summarize(node.child)})`;
    case "field":
      return `trait ${node.field.key} is ${JSON.stringify(node.value)}`;
    case "event":
      return `performed ${node.event}`;
  }
}
