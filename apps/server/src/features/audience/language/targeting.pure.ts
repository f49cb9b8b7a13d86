import {
  type AudienceExpression,
  type AudienceNode,
  MAX_CHILDREN,
  type Targeting,
  type TraitValue,
} from "./schema.ts";

const performed = (event: string): AudienceNode => ({ kind: "event", event, count: { op: "gte", value: 1 } });

/** A group of any size, as a tree whose groups stay within the limit. */
function allOf(nodes: AudienceNode[]): AudienceNode {
  if (nodes.length <= MAX_CHILDREN) return { kind: "all", children: nodes };
  const groups: AudienceNode[] = [];
  for (let i = 0; i < nodes.length; i += MAX_CHILDREN)
    groups.push({ kind: "all", children: nodes.slice(i, i + MAX_CHILDREN) });
  return allOf(groups);
}

/** The expression with the same meaning, or null when the targeting means all users. */
export function targetingExpression(targeting: Targeting): AudienceExpression | null {
  const nodes: AudienceNode[] = [
    ...Object.entries(targeting.traits ?? {}).map(
      ([key, value]): AudienceNode => ({ kind: "field", field: { kind: "trait", key }, op: "eq", value }),
    ),
    ...(targeting.events?.seen ?? []).map(performed),
    ...(targeting.events?.not_seen ?? []).map(
      (event): AudienceNode => ({ kind: "not", child: performed(event) }),
    ),
  ];
  return nodes.length === 0 ? null : { version: 1, root: allOf(nodes) };
}

/** The flat form of an expression that `targetingExpression` made. */
export function targetingOf(expression: AudienceExpression): Targeting {
  const traits: Record<string, TraitValue> = {};
  const seen: string[] = [];
  const notSeen: string[] = [];
  const visit = (node: AudienceNode): void => {
    if (node.kind === "all") node.children.forEach(visit);
    else if (node.kind === "field" && node.field.kind === "trait" && node.op === "eq")
      traits[node.field.key] = node.value;
    else if (node.kind === "event") seen.push(node.event);
    else if (node.kind === "not" && node.child.kind === "event") notSeen.push(node.child.event);
  };
  visit(expression.root);
  return {
    ...(Object.keys(traits).length === 0 ? {} : { traits }),
    ...(seen.length + notSeen.length === 0
      ? {}
      : {
          events: {
            ...(seen.length === 0 ? {} : { seen }),
            ...(notSeen.length === 0 ? {} : { not_seen: notSeen }),
          },
        }),
  };
}
