import type { TraceNode } from "./engines/trace.pure.ts";
import { type AudienceNode, MAX_EVALUATED_EVENT_OCCURRENCES } from "./schema.ts";
import { summarize } from "./summary.pure.ts";

/** The parts that keep a user out: of conditions that all have to be met, those that are not. */
function partsUnmet(node: AudienceNode, trace: TraceNode): { node: AudienceNode; trace: TraceNode }[] {
  if (trace.matched) return [];
  if (node.kind !== "all" || trace.kind !== "all") return [{ node, trace }];
  return node.children.flatMap((child, index) => {
    const traced = trace.children[index];
    return traced === undefined ? [] : partsUnmet(child, traced);
  });
}

/** What a condition saw of the user, in words; nothing for a group, whose conditions saw different things. */
function seenBy(trace: TraceNode): string {
  if (trace.kind === "event" || trace.kind === "message") {
    const { occurrences } = trace;
    if (occurrences === 0) return " (the user never did)";
    const atLeast = occurrences >= MAX_EVALUATED_EVENT_OCCURRENCES ? "at least " : "";
    const isOnce = occurrences === 1;
    if (trace.kind === "message")
      return ` (the user did with ${atLeast}${isOnce ? "one" : `${occurrences} of them`})`;
    return ` (the user did ${atLeast}${isOnce ? "once" : `${occurrences} times`})`;
  }
  if (trace.kind !== "field") return "";
  const { field, observed, observedType } = trace;
  if (observedType === "absent" || observedType === "null") return " (the user has none)";
  if (observedType === "datetime") return ` (it is ${new Date(Number(observed)).toISOString()})`;
  if (field.kind === "user") return ` (it is ${JSON.stringify(observed)})`;
  return observed === null
    ? ` (the user has an ${observedType})`
    : ` (the user has ${JSON.stringify(observed)})`;
}

/** Each condition that keeps a user out of an audience, with what it saw of the user: `trait plan is "pro" (the user has "free")`. */
export const unmetOf = (root: AudienceNode, trace: TraceNode): string[] =>
  partsUnmet(root, trace).map((part) => `${summarize(part.node)}${seenBy(part.trace)}`);
