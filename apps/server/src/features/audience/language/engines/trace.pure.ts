import { cutAfter } from "@tidings/client/text";
import { parseIso } from "../../../../platform/http/contract/instants.ts";
import { type Path, pointer } from "../parse/diagnostics.pure.ts";
import {
  type AudienceExpression,
  type AudienceNode,
  type CountingNode,
  type EventCount,
  type FieldNode,
  type FieldRef,
  MAX_EVALUATED_EVENT_OCCURRENCES,
  type MessageChannel,
  type MessageDeed,
  type Operator,
  type OperatorComparison,
} from "../schema.ts";
import { type CompiledAudience, type CountedFacts, seenAt } from "./compile.pure.ts";
import { countTest, instantTest, valueTest, windowMs } from "./conditions.pure.ts";
import { needKey, needOf } from "./needs.pure.ts";

const OBSERVED_LENGTH = 200;

/** Type of the observed value; a time of the user is a datetime, in epoch milliseconds. */
export type ObservedType =
  | "string"
  | "number"
  | "boolean"
  | "null"
  | "array"
  | "object"
  | "datetime"
  | "absent";

type FieldTrace = {
  kind: "field";
  field: FieldRef;
  op: Operator;
  /** The value, cut when it is a long string; null for an object or array, whose type says what it is. */
  observed: string | number | boolean | null;
  observedType: ObservedType;
  /** Why the value could not be compared. */
  note?: string;
};

/** How often a user did something, and how often they had to. */
type CountTrace = {
  /** At most MAX_EVALUATED_EVENT_OCCURRENCES, which means at least that many. */
  occurrences: number;
  required: EventCount;
  /** From when occurrences count, epoch milliseconds; null without a window. */
  windowCutoff: number | null;
};

type EventTrace = CountTrace & { kind: "event"; event: string };

/** Null stands for any campaign, and for any channel. */
type MessageTrace = CountTrace & {
  kind: "message";
  did: MessageDeed;
  campaigns: string[] | null;
  channel: MessageChannel | null;
};

/** The result of one node for one user. `path` is a JSON pointer into the expression. */
export type TraceNode = { path: string; matched: boolean } & (
  | FieldTrace
  | EventTrace
  | MessageTrace
  | { kind: "all" | "any"; children: TraceNode[] }
  | { kind: "not"; child: TraceNode }
);

type Look = { facts: CountedFacts; evaluatedAt: number; occurrencesOf: (node: CountingNode) => number };

function typeOf(value: unknown): ObservedType {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

function shownValue(value: unknown): string | number | boolean | null {
  if (typeof value === "number" || typeof value === "boolean") return value;
  return typeof value === "string" ? cutAfter(value, OBSERVED_LENGTH) : null;
}

/** The type that an operator compares, or null where any will do. */
function comparedType(comparison: OperatorComparison): "string" | "number" | "boolean" | "date-time" | null {
  switch (comparison.op) {
    case "exists":
    case "not_exists":
      return null;
    case "before":
    case "after":
    case "within_last":
    case "not_within_last":
    case "within_next":
    case "not_within_next":
      return "date-time";
    default: {
      const sample = Array.isArray(comparison.value) ? comparison.value[0] : comparison.value;
      if (typeof sample === "number") return "number";
      return typeof sample === "boolean" ? "boolean" : "string";
    }
  }
}

function explainUncomparable(
  comparison: OperatorComparison,
  name: string,
  observed: unknown,
  type: ObservedType,
): string | null {
  const wanted = comparedType(comparison);
  if (wanted === null) return null;
  if (type === "absent") return `The user has no trait ${name}.`;
  if (type === "null") return `The trait ${name} is null, which counts as absent.`;
  if (wanted === "date-time") {
    return typeof observed === "string" && !Number.isNaN(parseIso(observed))
      ? null
      : `The trait ${name} is not an ISO-8601 date-time with an offset.`;
  }
  return type === wanted
    ? null
    : `The trait ${name} is of type ${type}; ${comparison.op} compares a ${wanted}.`;
}

function traceField(node: FieldNode, path: Path, { facts, evaluatedAt }: Look): TraceNode {
  const { field, op } = node;
  const shared = { path: pointer(path), kind: "field" as const };
  if (field.kind === "user" && field.field !== "id") {
    const observed = seenAt(facts[field.field], evaluatedAt);
    const observedType = observed === null ? "absent" : "datetime";
    const matched = instantTest(node)(observed, evaluatedAt);
    return { ...shared, matched, field, op, observed, observedType };
  }
  if (field.kind === "user") {
    const { externalId } = facts;
    const matched = valueTest(node)(externalId, evaluatedAt);
    return { ...shared, matched, field, op, observed: shownValue(externalId), observedType: "string" };
  }
  const observed = Object.hasOwn(facts.traits, field.key) ? facts.traits[field.key] : undefined;
  const observedType = typeOf(observed);
  const note = explainUncomparable(node, JSON.stringify(field.key), observed, observedType);
  return {
    ...shared,
    matched: valueTest(node)(observed, evaluatedAt),
    field,
    op,
    observed: shownValue(observed),
    observedType,
    ...(note === null ? {} : { note }),
  };
}

function traceCount(node: CountingNode, path: Path, { evaluatedAt, occurrencesOf }: Look): TraceNode {
  const occurrences = Math.min(occurrencesOf(node), MAX_EVALUATED_EVENT_OCCURRENCES);
  const counted = {
    path: pointer(path),
    matched: countTest(node.count)(occurrences),
    occurrences,
    required: node.count,
    windowCutoff: node.window === undefined ? null : evaluatedAt - windowMs(node.window),
  };
  if (node.kind === "event") return { ...counted, kind: "event", event: node.event };
  const { did, campaigns = null, channel = null } = node;
  return { ...counted, kind: "message", did, campaigns, channel };
}

function traceNode(node: AudienceNode, path: Path, look: Look): TraceNode {
  switch (node.kind) {
    case "all":
    case "any": {
      const children = node.children.map((child, index) =>
        traceNode(child, [...path, "children", index], look),
      );
      const matched =
        node.kind === "all"
          ? children.every((child) => child.matched)
          : children.some((child) => child.matched);
      return { path: pointer(path), kind: node.kind, matched, children };
    }
    case "not": {
      const child = traceNode(node.child, [...path, "child"], look);
      return { path: pointer(path), kind: "not", matched: !child.matched, child };
    }
    case "field":
      return traceField(node, path, look);
    case "event":
    case "message":
      return traceCount(node, path, look);
  }
}

/** Why a user is matched or not: the result of every node for the facts that were read for `compiled`. */
export function trace(
  expression: AudienceExpression,
  { needs }: CompiledAudience,
  facts: CountedFacts,
  evaluatedAt: number,
): TraceNode {
  const positions = new Map(needs.map((need, index) => [needKey(need), index]));
  const occurrencesOf = (node: CountingNode): number => {
    const need = needOf(node);
    if (need !== null) return facts.occurrences[positions.get(needKey(need)) ?? -1] ?? 0;
    if (node.kind === "message") return 0;
    return Object.hasOwn(facts.eventCounts, node.event) ? (facts.eventCounts[node.event] ?? 0) : 0;
  };
  return traceNode(expression.root, ["root"], { facts, evaluatedAt, occurrencesOf });
}
