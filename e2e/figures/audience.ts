import type { Answer } from "@tidings/client";
import { isTrueOf, type SomeMessage } from "../../apps/server/test/audience/meaning.ts";
import type { Truth } from "./truth.ts";
import { things } from "./written.ts";

type Expression = NonNullable<Answer<"getSegment">["segment"]["expression"]>;
type Node = Expression["root"];

/** A node and all that is below it. */
function nodesOf(node: Node): Node[] {
  if (node.kind === "not") return [node, ...nodesOf(node.child)];
  return "children" in node ? [node, ...node.children.flatMap(nodesOf)] : [node];
}

/** How a condition on a stretch of time is written, which has a number of its own. */
function sentences(node: Node): string[] {
  if (node.kind === "event" && node.window !== undefined)
    return [`${node.event} at least once within the last ${node.window.amount} ${node.window.unit}`];
  if (node.kind !== "field" || node.op !== "not_within_last") return [];
  const { amount, unit } = node.value as { amount: number; unit: string };
  return [`First seen is not within the last ${amount} ${unit}`];
}

/** What became of all messages, by the user that got them. */
function messagesByUser({ campaigns, deliveries }: Truth): Map<string, SomeMessage[]> {
  const all = campaigns.flatMap(({ id: campaign, channel }) =>
    (deliveries.get(campaign) ?? []).map((delivery) => ({ ...delivery, campaign, channel })),
  );
  return Map.groupBy(all, ({ externalUserId }) => externalUserId);
}

/** How many users meet a node by itself, counted here by its plain meaning from all users, events and messages. */
function usersOf(truth: Truth, nodes: readonly Node[]): string[] {
  const { users, events, now } = truth;
  const messagesOf = messagesByUser(truth);
  const eventsOf = Map.groupBy(events, ({ endUserId }) => endUserId);
  const people = users.map(({ id, externalUserId, traits, firstSeenAt, lastSeenAt }) => ({
    id: externalUserId,
    traits,
    firstSeenAt,
    lastSeenAt,
    events: eventsOf.get(id) ?? [],
    messages: messagesOf.get(externalUserId) ?? [],
  }));
  return nodes.map((node) => things(people.filter((person) => isTrueOf(node, person, now)).length, "user"));
}

/** An audience that is drawn condition by condition, negations and groups by themselves. */
export function conditionFacts(truth: Truth, { root }: Expression): string[] {
  const nodes = nodesOf(root);
  return [...usersOf(truth, nodes), ...nodes.flatMap(sentences)];
}

/** An audience as lines of a form: of its one condition, or of the members of its group, each with its "must not". */
export const lineFacts = (truth: Truth, { root }: Expression): string[] =>
  usersOf(truth, "children" in root ? root.children : [root]);
