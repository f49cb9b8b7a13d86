import type { AudienceExpression, AudienceNode } from "./schema.ts";

/** What an audience may ask of a user. */
export type UserFacts = {
  traits: Readonly<Record<string, unknown>>;
  /** How often the user did each thing. */
  eventCounts: Readonly<Record<string, number>>;
};

export type Predicate = (facts: UserFacts) => boolean;

function compileNode(node: AudienceNode): Predicate {
  switch (node.kind) {
    case "all": {
      const children = node.children.map(compileNode);
      return (facts) => children.every((child) => child(facts));
    }
    case "not": {
      const child = compileNode(node.child);
      return (facts) => !child(facts);
    }
    case "field": {
      const { key } = node.field;
      const { value } = node;
      return ({ traits }) => Object.hasOwn(traits, key) && traits[key] === value;
    }
    case "event": {
      const { event, count } = node;
      return ({ eventCounts }) =>
        (Object.hasOwn(eventCounts, event) ? (eventCounts[event] ?? 0) : 0) >= count.value;
    }
  }
}

/** An expression as a function: compiled once per change of a campaign, called for every feed. */
export const compile = (expression: AudienceExpression): Predicate => compileNode(expression.root);
