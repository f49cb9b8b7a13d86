import { numberOf } from "../../platform/figures.ts";
import type { Names } from "../with-names.ts";
import {
  type ComparedValue,
  type CountingNode,
  type EventNode,
  type Expression,
  type FieldNode,
  type MessageNode,
  type Node,
  ONCE,
  type WhereNode,
  type Window,
} from "./tree.pure.ts";
import { words } from "./words.ts";

const windowOf = ({ amount, unit }: Window): string => `${amount} ${words.units[unit]}`;

const textOf = (value: unknown): string => (typeof value === "string" ? `“${value}”` : String(value));

/** Members of a list that a sentence names; of more it says how many there are. */
const NAMED_MEMBERS = 5;

function membersOf<Member extends string | number>(
  members: readonly Member[],
  shown: (member: Member) => string,
): string {
  const named = members.slice(0, NAMED_MEMBERS).map(shown).join(", ");
  const more = members.length - NAMED_MEMBERS;
  return more > 0 ? `${named} ${words.andMore(numberOf(more))}` : named;
}

/** What a comparison is with, in words; nothing for one that is with nothing. */
function operandOf(value: ComparedValue): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return ` ${membersOf<string | number>(value, textOf)}`;
  return ` ${typeof value === "object" ? windowOf(value) : textOf(value)}`;
}

const subjectOf = ({ field }: FieldNode | WhereNode): string =>
  field.kind === "user" ? words.userFields[field.field] : field.key;

/** A comparison in the words of the builder: `plan is “pro”`. */
const comparisonOf = (node: FieldNode | WhereNode): string =>
  `${subjectOf(node)} ${words.operators[node.op]}${operandOf(node.value)}`;

/** Whether it matters only that something happened. */
export const isOnce = ({ count = ONCE }: CountingNode): boolean =>
  count.op === ONCE.op && count.value === ONCE.value;

/** How often something happened, in words that say of how many things. */
function oftenOf(node: CountingNode, once: string, counted: (count: number) => string): string {
  const { op, value } = node.count ?? ONCE;
  return isOnce(node) ? once : `${words.counts[op]} ${counted(value)}`;
}

const whenOf = ({ window }: CountingNode): string =>
  window === undefined ? words.ever : `${words.inLast} ${windowOf(window)}`;

function eventOf(node: EventNode): string {
  const { event, where = [] } = node;
  const having = where.length === 0 ? "" : `, ${words.having} ${where.map(comparisonOf).join(words.and)}`;
  return `${event} ${oftenOf(node, words.once, words.timesOf)} ${whenOf(node)}${having}`;
}

/** `opened a message of “Spring sale” by email within the last 7 days`; a campaign without a known name by its id. */
function messageOf(node: MessageNode, names: Names): string {
  const { did, campaigns = [], channel } = node;
  const called = (id: string): string => (names[id] === undefined ? id : textOf(names[id]));
  const parts = [
    words.deeds[did],
    oftenOf(node, words.aMessage, words.messagesOf),
    ...(campaigns.length === 0 ? [] : [`${words.from} ${membersOf(campaigns, called)}`]),
    ...(channel === undefined ? [] : [words.channels[channel]]),
    whenOf(node),
  ];
  return parts.join(" ");
}

/**
 * A part of an expression in the words of the builder; a group by what it demands of its members.
 * @param names of campaigns by their ids
 */
export function describeCondition(node: Node | WhereNode, names: Names): string {
  switch (node.kind) {
    case "all":
      return words.all;
    case "any":
      return words.any;
    case "not":
      return words.notThis;
    case "field":
      return comparisonOf(node);
    case "event":
      return eventOf(node);
    case "message":
      return messageOf(node, names);
  }
}

/** The part of an expression at a JSON pointer of the server, such as `/root/children/0`; null where there is none. */
export function nodeAt({ root }: Expression, pointer: string): Node | null {
  let node: Node | undefined = root;
  // The first two parts are empty and "root".
  const steps = pointer.split("/").slice(2);
  for (const step of steps) {
    if (step === "children") continue;
    if (node === undefined) return null;
    if (node.kind === "not") node = step === "child" ? node.child : undefined;
    else node = "children" in node ? node.children[Number(step)] : undefined;
  }
  return node ?? null;
}
