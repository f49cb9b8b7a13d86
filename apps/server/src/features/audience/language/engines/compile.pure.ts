import { notAhead } from "../../../../platform/time/far-ahead.ts";
import { referencesOf } from "../rules.ts";
import type { AudienceExpression, AudienceNode, CountingNode, FieldNode } from "../schema.ts";
import { countTest, instantTest, valueTest } from "./conditions.pure.ts";
import { type Need, Needs, needOf } from "./needs.pure.ts";

/** The facts of a user that an audience may need. An unknown user has an id, and no times, no traits and no events. */
export type UserFacts = {
  /** The id in the customer's product. */
  externalId: string;
  traits: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  firstSeenAt: number | null;
  lastSeenAt: number | null;
  /** How often the user did each thing. */
  eventCounts: Readonly<Record<string, number>>;
  /**
   * How often each need was met, in the order of the needs; exact up to MAX_EVALUATED_EVENT_OCCURRENCES. If they are unread, the result
   * of a predicate is valid only if it did not need them.
   */
  occurrences: readonly number[] | Unread;
};

/** Facts with everything read. */
export type CountedFacts = UserFacts & { occurrences: readonly number[] };

/** Stands for occurrences that were not read, and records whether a predicate needed them. */
export type Unread = { isNeeded: boolean };

const isUnread = (occurrences: UserFacts["occurrences"]): occurrences is Unread => "isNeeded" in occurrences;

export type Predicate = (facts: UserFacts, evaluatedAt: number) => boolean;

export type CompiledAudience = {
  /** The needs that `occurrences` must count before `matches` is called. */
  needs: readonly Need[];
  /** The names of the events in the expression. */
  events: readonly string[];
  matches: Predicate;
};

/** When a user was seen, as an audience reads it; null for an unknown user. */
export const seenAt = (at: number | null, evaluatedAt: number): number | null =>
  at === null ? null : notAhead(at, evaluatedAt);

function compileField(node: FieldNode): Predicate {
  if (node.field.kind === "user") {
    const { field } = node.field;
    if (field === "id") {
      const test = valueTest(node);
      return ({ externalId }, evaluatedAt) => test(externalId, evaluatedAt);
    }
    const test = instantTest(node);
    return (facts, evaluatedAt) => test(seenAt(facts[field], evaluatedAt), evaluatedAt);
  }
  const { key } = node.field;
  const test = valueTest(node);
  return ({ traits }, evaluatedAt) => test(Object.hasOwn(traits, key) ? traits[key] : undefined, evaluatedAt);
}

function compileCount(node: CountingNode, needs: Needs): Predicate {
  const test = countTest(node.count);
  const position = needs.positionOf(node);
  if (position !== null) {
    return ({ occurrences }) => {
      if (!isUnread(occurrences)) return test(occurrences[position] ?? 0);
      occurrences.isNeeded = true;
      return false;
    };
  }
  const event = node.kind === "event" ? node.event : "";
  return ({ eventCounts }) => test(Object.hasOwn(eventCounts, event) ? (eventCounts[event] ?? 0) : 0);
}

/** Whether a node needs occurrences. */
function asksForNeeds(node: AudienceNode): boolean {
  if (node.kind === "event" || node.kind === "message") return needOf(node) !== null;
  if (node.kind === "not") return asksForNeeds(node.child);
  return node.kind !== "field" && node.children.some(asksForNeeds);
}

/** The members of a group. Members that need no single events come first, since they may decide the group alone. */
const compileGroup = (children: readonly AudienceNode[], needs: Needs): Predicate[] =>
  children
    .toSorted((a, b) => Number(asksForNeeds(a)) - Number(asksForNeeds(b)))
    .map((child) => compileNode(child, needs));

function compileNode(node: AudienceNode, needs: Needs): Predicate {
  switch (node.kind) {
    case "all": {
      const children = compileGroup(node.children, needs);
      return (facts, evaluatedAt) => {
        for (const child of children) if (!child(facts, evaluatedAt)) return false;
        return true;
      };
    }
    case "any": {
      const children = compileGroup(node.children, needs);
      return (facts, evaluatedAt) => {
        for (const child of children) if (child(facts, evaluatedAt)) return true;
        return false;
      };
    }
    case "not": {
      const child = compileNode(node.child, needs);
      return (facts, evaluatedAt) => !child(facts, evaluatedAt);
    }
    case "field":
      return compileField(node);
    case "event":
    case "message":
      return compileCount(node, needs);
  }
}

/**
 * An expression as a function: compiled once per change of a campaign, called for every feed. Expressions that are
 * compiled into the same `needs` share their occurrences.
 */
export function compile(expression: AudienceExpression, needs: Needs = new Needs()): CompiledAudience {
  const matches = compileNode(expression.root, needs);
  return { needs: needs.list, events: referencesOf(expression).events, matches };
}
